namespace Pipeline.Settlements;

/// <summary>Thrown for <see cref="Settlement.DeadLetter"/>, by code that cannot return one.</summary>
public sealed class PoisonMessageException : Exception
{
    /// <summary>The message is dead-lettered.</summary>
    /// <param name="reason">See <see cref="Reason"/>.</param>
    /// <param name="message">What is wrong, for the dead letter's description.</param>
    /// <param name="innerException">The cause; null without one.</param>
    public PoisonMessageException(string reason, string message, Exception? innerException = null)
        : base(message, innerException) => Reason = reason;

    /// <summary>A stable kebab-case code such as <c>malformed-json</c>.</summary>
    public string Reason { get; }
}
