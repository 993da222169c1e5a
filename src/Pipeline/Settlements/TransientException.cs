namespace Quayside.Pipeline.Settlements;

/// <summary>Thrown for <see cref="Settlement.Transient"/>, by code that cannot return one.</summary>
public sealed class TransientException : Exception
{
    /// <summary>A fault that may pass.</summary>
    /// <param name="message">Which call failed and how.</param>
    /// <param name="retryAfter">See <see cref="RetryAfter"/>.</param>
    /// <param name="innerException">The cause; null without one.</param>
    /// <param name="retryInProcess">See <see cref="RetryInProcess"/>.</param>
    /// <param name="mayHold">See <see cref="MayHold"/>.</param>
    public TransientException(
        string message, TimeSpan retryAfter = default, Exception? innerException = null, bool retryInProcess = true, bool mayHold = true)
        : base(message, innerException)
    {
        RetryAfter = retryAfter;
        RetryInProcess = retryInProcess;
        MayHold = mayHold;
    }

    /// <summary>The minimum time to wait before the next attempt, as the service asked (Retry-After); zero when it did not ask.</summary>
    public TimeSpan RetryAfter { get; }

    /// <summary>False when the part that threw has used up its own attempts: a retry around it would multiply them.</summary>
    public bool RetryInProcess { get; }

    /// <summary>False when the fault may be this message's own, so that only a redelivery helps: the message is abandoned, not held.</summary>
    public bool MayHold { get; }
}

/// <summary>Thrown for <see cref="Settlement.Refused"/>, by code that cannot return one.</summary>
public sealed class ServiceRefusedException : Exception
{
    /// <summary>The worker is refused.</summary>
    /// <param name="message">Which call was refused, why, and what the operator can do.</param>
    /// <param name="innerException">The cause; null without one.</param>
    public ServiceRefusedException(string message, Exception? innerException = null)
        : base(message, innerException)
    {
    }
}

/// <summary>Thrown for <see cref="Settlement.DeadLetter"/>, by code that cannot return one.</summary>
public sealed class DeadLetterException : Exception
{
    /// <summary>The message is dead-lettered.</summary>
    /// <param name="reason">See <see cref="Reason"/>.</param>
    /// <param name="message">What is wrong, for the dead letter's description.</param>
    /// <param name="innerException">The cause; null without one.</param>
    public DeadLetterException(string reason, string message, Exception? innerException = null)
        : base(message, innerException) => Reason = reason;

    /// <summary>A stable kebab-case code such as <c>malformed-json</c>.</summary>
    public string Reason { get; }
}
