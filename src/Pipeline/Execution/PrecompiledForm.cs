using Pipeline.Behaviors;
using Pipeline.Contexts;
using Pipeline.Parts;

namespace Pipeline.Execution;

/// <summary>Each part becomes a node that knows the node after it; nodes are wired from the tail to the head, once.</summary>
internal sealed class PrecompiledForm() : PipelineForm("Precompiled"), IPartVisitor<object?, object>
{
    public object Step<TContext>(StepPart<TContext> part, object? state)
        where TContext : PipelineContext => part.Node((Next<TContext>)state!);

    public object Behavior<TIn, TOut>(BehaviorPart<TIn, TOut> part, object? state)
        where TIn : PipelineContext
        where TOut : PipelineContext => part.Node((Next<TOut>)state!);

    public object Terminator<TContext>(TerminatorPart<TContext> part, object? state)
        where TContext : PipelineContext => part.Node();

    internal override Next<TRoot> Compose<TRoot>(IReadOnlyList<PipelinePart> parts)
    {
        object? next = null;
        for (int i = parts.Count - 1; i >= 0; i--)
        {
            next = parts[i].Accept(this, next);
        }

        return (Next<TRoot>)next!;
    }

    internal override string Plan(IReadOnlyList<PipelinePart> parts, int index) => parts[index].HasOwnNode ? string.Empty : "shared node";
}
