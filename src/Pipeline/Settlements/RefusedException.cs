namespace Pipeline.Settlements;

/// <summary>
/// The other side refuses the worker itself, not the message (access denied, no such bucket). Receiving pauses and the worker
/// reports itself unhealthy; the message is held where its source allows that, and abandoned otherwise. An operator has to act.
/// </summary>
public sealed class RefusedException : Exception
{
    /// <summary>The worker is refused.</summary>
    /// <param name="message">Which call was refused, why, and what the operator can do.</param>
    /// <param name="innerException">The cause; null without one.</param>
    public RefusedException(string message, Exception? innerException = null)
        : base(message, innerException)
    {
    }
}
