using System.Runtime.CompilerServices;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Contexts;

namespace Quayside.Pipeline.Execution.Nodes;

/// <summary>
/// A step wired into a chain: when invoked, it runs the step around the next node. The Fused form makes the three calls itself and
/// passes no next node. The generator derives one class per step type, with direct calls; steps that it has not seen share a class.
/// </summary>
/// <typeparam name="TContext">The stage's context.</typeparam>
/// <param name="next">The rest of the chain; null where the node is part of a fused run.</param>
public abstract class StepNode<TContext>(Next<TContext>? next) : Next<TContext>, IStepRun
    where TContext : PipelineContext
{
    /// <summary>Whether <see cref="AfterAsync"/> may do anything. Read when a chain is composed; a node that cannot know says true.</summary>
    public virtual bool HasAfter => true;

    /// <summary>Whether <see cref="OnErrorAsync"/> may do anything. Read when a chain is composed; a node that cannot know says true.</summary>
    public virtual bool HasOnError => true;

    /// <summary>The step's name, for errors.</summary>
    internal string PartName { get; set; } = "without a name";

    /// <summary>The rest of the chain.</summary>
    protected Next<TContext> Rest { get; } = next!;

    /// <summary><see cref="IStep{TContext}.BeforeAsync"/>.</summary>
    public virtual ValueTask<StepOutcome> BeforeAsync(TContext context) => new(StepOutcome.Continue);

    /// <summary><see cref="IStep{TContext}.AfterAsync"/>.</summary>
    public virtual ValueTask AfterAsync(TContext context) => default;

    /// <summary><see cref="IStep{TContext}.OnErrorAsync"/>.</summary>
    public virtual ValueTask<ErrorOutcome> OnErrorAsync(TContext context, Exception exception) => new(ErrorOutcome.Rethrow);

    // Safe: the frame passes on the context that this node gave it.
    StepOutcome? IStepRun.Enter(PipelineContext context, ref int entered, out ValueTask<StepOutcome> underWay)
    {
        underWay = default;
        return StepOutcome.Continue;
    }

    bool IStepRun.Continues(int step, StepOutcome outcome) => Continues(outcome);

    ValueTask IStepRun.InvokeNextAsync(PipelineContext context) => Rest.InvokeAsync(Unsafe.As<TContext>(context));

    bool IStepRun.TryLeave(PipelineContext context, ref int entered, out ValueTask underWay)
    {
        entered = 0;
        underWay = AfterAsync(Unsafe.As<TContext>(context));
        return false;
    }

    ValueTask<ErrorOutcome> IStepRun.OnErrorAsync(PipelineContext context, int step, Exception exception) =>
        OnErrorAsync(Unsafe.As<TContext>(context), exception);

    /// <summary>Whether the chain continues after Before.</summary>
    /// <exception cref="PartDefectException">Before decided nothing.</exception>
    protected internal bool Continues(StepOutcome outcome) => outcome == StepOutcome.Continue || !Stops(outcome);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool Stops(StepOutcome outcome) => outcome == StepOutcome.Stop ? true : throw PartDefectException.Undecided(PartName, outcome);

    /// <summary>Continues when Before did not complete synchronously: the rest of the chain, then After or OnError.</summary>
    protected ValueTask AwaitBeforeAsync(ValueTask<StepOutcome> before, TContext context) => StepFrame.AwaitBefore(this, context, 0, before);

    /// <summary>Continues when the rest of the chain did not complete synchronously: After or OnError.</summary>
    protected ValueTask AwaitRestAsync(ValueTask rest, TContext context) => StepFrame.AwaitRest(this, context, 1, rest);

    /// <summary>Continues when the rest of the chain threw instead of returning a task: OnError.</summary>
    protected ValueTask UnwindAsync(TContext context, Exception exception) => StepFrame.Unwind(this, context, 1, exception);
}

/// <summary>
/// One or more adjacent steps, with the context type erased, as <see cref="StepFrame"/> drives them. <c>entered</c> counts the
/// steps that an exception is shown to. Each method reports whether a task is under way. Asking the task instead would be a
/// race: it may complete in between, and the steps after it would be skipped.
/// </summary>
internal interface IStepRun
{
    /// <summary>Runs the steps' <c>Before</c> from step <paramref name="entered"/> on.</summary>
    /// <returns>The outcome; null when the Before of step <paramref name="entered"/> is under way.</returns>
    StepOutcome? Enter(PipelineContext context, ref int entered, out ValueTask<StepOutcome> underWay);

    /// <summary>Whether the chain continues after one step's Before.</summary>
    /// <exception cref="PartDefectException">Before decided nothing.</exception>
    bool Continues(int step, StepOutcome outcome);

    /// <summary>Runs the rest of the chain.</summary>
    ValueTask InvokeNextAsync(PipelineContext context);

    /// <summary>Runs each step's After in reverse, from the last step entered.</summary>
    /// <returns>Whether all have run; false when the After of step <paramref name="entered"/> is under way.</returns>
    bool TryLeave(PipelineContext context, ref int entered, out ValueTask underWay);

    /// <summary>Runs one step's OnError.</summary>
    ValueTask<ErrorOutcome> OnErrorAsync(PipelineContext context, int step, Exception exception);
}
