using System.Diagnostics.CodeAnalysis;
using Pipeline.Parts;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Contexts;

namespace Quayside.Pipeline.Execution;

/// <summary>One way to execute a chain. All forms give the same results; they differ in what a message costs.</summary>
public abstract class PipelineForm
{
    private protected PipelineForm(string name) => Name = name;

    /// <summary>One closure per part and message: the reference that the other forms are compared with.</summary>
    public static PipelineForm Closure { get; } = new ClosureForm();

    /// <summary>Delegates compiled from expression trees once at start; needs a runtime that may compile code.</summary>
    public static PipelineForm Expression { get; } = new ExpressionForm();

    /// <summary>Nodes wired once at start, one node class per part type: a message allocates nothing.</summary>
    public static PipelineForm Precompiled { get; } = new PrecompiledForm();

    /// <summary>As Precompiled, but adjacent steps share one loop and one state machine: they add no stack depth when a message suspends or fails.</summary>
    public static PipelineForm Fused { get; } = new FusedForm();

    /// <summary>All forms, in the order they are documented.</summary>
    public static IReadOnlyList<PipelineForm> All { get; } = [Closure, Expression, Precompiled, Fused];

    /// <summary>The value of <c>Pipeline:Form</c> that selects this form.</summary>
    public string Name { get; }

    /// <summary>Whether this runtime can execute the form; one that compiles code at start needs a runtime that allows it.</summary>
    public virtual bool IsSupported => true;

    /// <summary>Finds a form by name, ignoring case.</summary>
    public static bool TryParse(string? name, [NotNullWhen(true)] out PipelineForm? form)
    {
        form = All.FirstOrDefault(f => string.Equals(f.Name, name, StringComparison.OrdinalIgnoreCase));
        return form is not null;
    }

    /// <inheritdoc/>
    public override string ToString() => Name;

    /// <summary>Wires the parts, whose order and types were checked, into the chain's first link.</summary>
    internal abstract Next<TRoot> Compose<TRoot>(IReadOnlyList<PipelinePart> parts)
        where TRoot : PipelineContext;

    /// <summary>How the form executes the part at <paramref name="index"/>, for the printed chain; empty when there is nothing to add.</summary>
    internal virtual string Plan(IReadOnlyList<PipelinePart> parts, int index) => string.Empty;
}

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
