using Pipeline.Contexts;

namespace Pipeline.Behaviors;

/// <summary>
/// A part that does something before, after, or on an error of what lies further in, but does not wrap it. Most parts are
/// steps; they cost less than behaviours in every form. Singletons: per-message state belongs in the context.
/// <para>
/// Equivalent to: <c>if (await Before() == Stop) return; try { await next(); } catch (e) { if (await OnError(e) == Handled) return; throw; } await After();</c>
/// An exception of the step's own Before or After is not shown to its own OnError, only to those further out.
/// Completing synchronously allocates nothing.
/// </para>
/// </summary>
/// <typeparam name="TContext">The stage's context.</typeparam>
public interface IStep<in TContext>
    where TContext : PipelineContext
{
    /// <summary>Runs on the way in.</summary>
    ValueTask<StepOutcome> BeforeAsync(TContext context) => new(StepOutcome.Continue);

    /// <summary>Runs on the way out when everything further in returned normally.</summary>
    ValueTask AfterAsync(TContext context) => default;

    /// <summary>Runs on the way out when something further in threw.</summary>
    ValueTask<ErrorOutcome> OnErrorAsync(TContext context, Exception exception) => new(ErrorOutcome.Rethrow);
}

/// <summary>Whether the chain goes on after a step's <see cref="IStep{TContext}.BeforeAsync"/>.</summary>
public enum StepOutcome
{
    /// <summary>The next part runs.</summary>
    Continue = 0,

    /// <summary>Nothing further runs, this step's After neither; the Afters of the steps before it do.</summary>
    Stop,
}

/// <summary>What a step's <see cref="IStep{TContext}.OnErrorAsync"/> did about an exception from further in.</summary>
public enum ErrorOutcome
{
    /// <summary>The exception goes on outwards, unchanged.</summary>
    Rethrow = 0,

    /// <summary>The exception ends here; the parts outside see a normal return.</summary>
    Handled,
}
