using Pipeline.Behaviors;
using Pipeline.Contexts;

namespace Pipeline.Execution.Nodes;

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
