namespace Pipeline.Settlements;

/// <summary>Thrown for <see cref="Settlement.Refused"/>, by code that cannot return one.</summary>
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
