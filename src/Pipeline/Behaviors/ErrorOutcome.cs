namespace Pipeline.Behaviors;

/// <summary>What a step's <see cref="IStep{TContext}.OnErrorAsync"/> did about an exception from further in.</summary>
public enum ErrorOutcome
{
    /// <summary>The exception goes on outwards, unchanged.</summary>
    Rethrow = 0,

    /// <summary>The exception ends here; the parts outside see a normal return.</summary>
    Handled,
}
