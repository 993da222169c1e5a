using Pipeline.Parts;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Contexts;
using Quayside.Pipeline.Execution.Nodes;

namespace Quayside.Pipeline.Execution;

/// <summary>
/// Adjacent steps, however many, become one run: a loop, with a single state machine when one of them suspends. Parts that wrap
/// are nodes between the runs, as in the Precompiled form; so is a single step.
/// </summary>
internal sealed class FusedForm() : PipelineForm("Fused"), IPartVisitor<FusedForm.Place, object>
{
    public object Step<TContext>(StepPart<TContext> part, Place state)
        where TContext : PipelineContext
    {
        Next<TContext> next = (Next<TContext>)state.Next!;
        if (state.Length == 1)
        {
            return part.Node(next);
        }

        StepNode<TContext>[] steps = new StepNode<TContext>[state.Length];
        bool handles = false;
        bool leaves = false;
        for (int i = 0; i < steps.Length; i++)
        {
            steps[i] = ((StepPart<TContext>)state.Parts[state.First + i]).Node(next: null);
            handles |= steps[i].HasOnError;
            leaves |= steps[i].HasAfter;
        }

        return handles ? new HandlingRun<TContext>(steps, next) : leaves ? new LeavingRun<TContext>(steps, next) : new EnteringRun<TContext>(steps, next);
    }

    public object Behavior<TIn, TOut>(BehaviorPart<TIn, TOut> part, Place state)
        where TIn : PipelineContext
        where TOut : PipelineContext => part.Node((Next<TOut>)state.Next!);

    public object Terminator<TContext>(TerminatorPart<TContext> part, Place state)
        where TContext : PipelineContext => part.Node();

    internal override Next<TRoot> Compose<TRoot>(IReadOnlyList<PipelinePart> parts)
    {
        object? next = null;
        int end = parts.Count;
        while (end > 0)
        {
            int first = FirstOfRun(parts, end - 1);
            next = parts[first].Accept(this, new Place(parts, first, end - first, next));
            end = first;
        }

        return (Next<TRoot>)next!;
    }

    internal override string Plan(IReadOnlyList<PipelinePart> parts, int index)
    {
        string node = parts[index].HasOwnNode ? string.Empty : "shared node";
        int first = FirstOfRun(parts, index);
        int last = index;
        while (last + 1 < parts.Count && FirstOfRun(parts, last + 1) == first)
        {
            last++;
        }

        return first == last ? node : $"run {first + 1}-{last + 1}{(node.Length == 0 ? string.Empty : ", ")}{node}";
    }

    private static int FirstOfRun(IReadOnlyList<PipelinePart> parts, int index)
    {
        while (index > 0 && parts[index].Kind == PartKind.Step && parts[index - 1].Kind == PartKind.Step)
        {
            index--;
        }

        return index;
    }

    /// <summary>What a node is made from: <paramref name="Length"/> parts from <paramref name="First"/> on, and the node after them.</summary>
    internal readonly record struct Place(IReadOnlyList<PipelinePart> Parts, int First, int Length, object? Next);
}
