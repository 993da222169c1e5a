using Quayside.Pipeline.Contexts;

namespace Quayside.Pipeline.Behaviors;

/// <summary>
/// A part that acts before the rest of the chain, after it, or on its exceptions, but does not wrap it. Most parts are
/// steps; they cost less than behaviours in every form. Singletons: per-message state belongs in the context.
/// <para>
/// Equivalent to: <c>if (await Before() == Stop) return; try { await next(); } catch (e) { if (await OnError(e) == Handled) return; throw; } await After();</c>
/// The step's own OnError does not see an exception of its Before or After; the parts outside do. Completing synchronously allocates nothing.
/// </para>
/// </summary>
/// <typeparam name="TContext">The stage's context.</typeparam>
public interface IStep<in TContext>
    where TContext : PipelineContext
{
    /// <summary>Runs before the rest of the chain.</summary>
    ValueTask<StepOutcome> BeforeAsync(TContext context) => new(StepOutcome.Continue);

    /// <summary>Runs when the rest of the chain has returned normally.</summary>
    ValueTask AfterAsync(TContext context) => default;

    /// <summary>Runs when the rest of the chain has thrown.</summary>
    ValueTask<ErrorOutcome> OnErrorAsync(TContext context, Exception exception) => new(ErrorOutcome.Rethrow);
}

/// <summary>Whether the chain continues after a step's <see cref="IStep{TContext}.BeforeAsync"/>.</summary>
public enum StepOutcome
{
    /// <summary>No decision: a defect of the step. The message fails with a <see cref="PartDefectException"/>.</summary>
    Undecided = 0,

    /// <summary>The next part runs.</summary>
    Continue,

    /// <summary>Neither the rest of the chain nor this step's After runs; the After of each earlier step does.</summary>
    Stop,
}

/// <summary>What a step's <see cref="IStep{TContext}.OnErrorAsync"/> did about an exception of the rest of the chain.</summary>
public enum ErrorOutcome
{
    /// <summary>The exception propagates to the parts outside, unchanged.</summary>
    Rethrow = 0,

    /// <summary>The exception ends here; the parts outside see a normal return.</summary>
    Handled,
}

/// <summary>A part broke its contract, such as a step that returned <c>default(StepOutcome)</c>. The message fails as if the part had thrown.</summary>
/// <param name="part">The part, as logs name it, such as <c>the step Validate</c>.</param>
/// <param name="problem">What it did and what it must do instead; the end of a sentence that begins with the part.</param>
public sealed class PartDefectException(string part, string problem) : InvalidOperationException($"{char.ToUpperInvariant(part[0])}{part[1..]} {problem}")
{
    /// <summary>The part, as logs name it.</summary>
    public string Part { get; } = part;

    internal static PartDefectException Undecided(string step, StepOutcome outcome) =>
        new($"the step {step}", $"returned StepOutcome.{outcome} from BeforeAsync, which decides nothing: return StepOutcome.Continue or StepOutcome.Stop.");
}
