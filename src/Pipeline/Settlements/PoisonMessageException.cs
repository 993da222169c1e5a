namespace Pipeline.Settlements;

/// <summary>This message can never succeed, whatever is retried: it goes to the dead letters at once.</summary>
public sealed class PoisonMessageException : Exception
{
    public PoisonMessageException(string reason, string message, Exception? innerException = null)
        : base(message, innerException) => Reason = reason;

    /// <summary>A stable kebab-case code such as <c>malformed-json</c>.</summary>
    public string Reason { get; }
}
