namespace Quayside.Pipeline.Settlements;

/// <summary>The decision about one message. A value: expected failures travel as settlements, not as exceptions.</summary>
/// <param name="Kind">What is to happen.</param>
/// <param name="Delay">Abandon only: how long the source should wait before it redelivers the message; zero: no wait.</param>
/// <param name="Reason">Dead letter only: a stable kebab-case code such as <c>malformed-json</c>.</param>
/// <param name="Description">Dead letter and abandon: what happened, for people; never a body or a credential.</param>
/// <param name="ExceptionType">The full name of the exception's type where one was thrown; null otherwise.</param>
public readonly record struct Settlement(
    SettlementKind Kind,
    TimeSpan Delay = default,
    string? Reason = null,
    string? Description = null,
    string? ExceptionType = null)
{
    /// <summary>The sink has the message.</summary>
    public static Settlement Complete => new(SettlementKind.Complete);

    /// <summary>What failed outside the message, when that is why it is abandoned.</summary>
    public SettlementFault Fault
    {
        get => Kind == SettlementKind.Abandon ? field : SettlementFault.None;
        private init;
    }

    /// <summary>Of a transient fault: false when the part that decided has used up its own attempts, so that a retry around it would multiply them.</summary>
    public bool RetryInProcess
    {
        get => field && Fault == SettlementFault.Transient;
        private init;
    }

    /// <summary>Of a fault: false when it may be this message's own, so that only a redelivery helps: the message is abandoned, not held.</summary>
    public bool MayHold
    {
        get => field && Fault != SettlementFault.None;
        private init;
    }

    /// <summary>
    /// Of a fault: true when what found it has already reported it to the worker, which then does not count it again. Two settlements that differ only here are
    /// equal.
    /// </summary>
    public bool IsReported { get; init; }

    /// <summary>What was thrown, for the log and the dead letter; null without an exception. Two settlements that differ only here are equal.</summary>
    public Exception? Exception { get; init; }

    /// <summary>True once a part has decided; false also for a kind that does not exist.</summary>
    public bool IsDecided => Kind is SettlementKind.Complete or SettlementKind.Abandon or SettlementKind.DeadLetter;

    /// <summary>
    /// No decision, because a part broke its contract: the message is abandoned with backoff, and dead-lettered on its last delivery. The log
    /// reports it as a defect of the part.
    /// </summary>
    /// <param name="description">Which part, what it returned, and what it must return instead.</param>
    public static Settlement Undecided(string description) => new(SettlementKind.Undecided, Description: description);

    /// <summary>Returns the message to its source, which redelivers it after <paramref name="delay"/>.</summary>
    public static Settlement Abandon(TimeSpan delay, string? description = null, string? exceptionType = null) =>
        new(SettlementKind.Abandon, delay, Reason: null, description, exceptionType);

    /// <summary>Makes the message a dead letter, with a reason code.</summary>
    public static Settlement DeadLetter(string reason, string description, string? exceptionType = null) =>
        new(SettlementKind.DeadLetter, default, reason, description, exceptionType);

    /// <summary>
    /// Something outside the message failed and may work later: a throttled or unreachable store. Retried in process, then the
    /// message is held where its source allows that, and abandoned otherwise. Never a reason to dead-letter.
    /// </summary>
    /// <param name="description">Which call failed and how.</param>
    /// <param name="retryAfter">The minimum time to wait before the next attempt, as the service asked (Retry-After); zero when it did not ask.</param>
    /// <param name="retryInProcess">See <see cref="RetryInProcess"/>.</param>
    /// <param name="mayHold">See <see cref="MayHold"/>.</param>
    public static Settlement Transient(string description, TimeSpan retryAfter = default, bool retryInProcess = true, bool mayHold = true) =>
        new(SettlementKind.Abandon, retryAfter, Reason: null, description)
        { Fault = SettlementFault.Transient, RetryInProcess = retryInProcess, MayHold = mayHold };

    /// <summary>
    /// The service refuses the worker itself, not the message (access denied, no such bucket). Receiving pauses and the worker
    /// reports itself unhealthy; the message is held where its source allows that, and abandoned otherwise. An operator has to act.
    /// </summary>
    /// <param name="description">Which call was refused, why, and what the operator can do.</param>
    public static Settlement Refused(string description) =>
        new(SettlementKind.Abandon, Description: description) { Fault = SettlementFault.Refused, MayHold = true };

    /// <summary>
    /// The settlement of one physical message that was forked into several logical ones: the worst wins, so that nothing is
    /// acknowledged while a part of it is not safe. Undecided beats Abandon (of these Refused, then Transient) beats DeadLetter beats Complete.
    /// </summary>
    public static Settlement Combine(Settlement first, Settlement second) =>
        (Rank(second), second.Fault).CompareTo((Rank(first), first.Fault)) > 0 ? second : first;

    /// <inheritdoc/>
    public bool Equals(Settlement other) =>
        (Kind, Delay, Reason, Description, ExceptionType, Fault, RetryInProcess,
            MayHold) == (other.Kind, other.Delay, other.Reason, other.Description, other.ExceptionType, other.Fault, other.RetryInProcess, other.MayHold);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(Kind, Delay, Reason, Description, ExceptionType, Fault);

    private static int Rank(Settlement settlement) => settlement.Kind switch
    {
        SettlementKind.Complete => 0,
        SettlementKind.DeadLetter => 1,
        SettlementKind.Abandon => 2,
        _ => 3,
    };
}

/// <summary>What becomes of a message at its source ("settle" is the AMQP 1.0 word).</summary>
public enum SettlementKind
{
    /// <summary>No part decided: the message is abandoned, never acknowledged.</summary>
    Undecided = 0,

    /// <summary>The sink has it: the source may forget it.</summary>
    Complete,

    /// <summary>Returned to the source, which redelivers it after <see cref="Settlement.Delay"/>.</summary>
    Abandon,

    /// <summary>It can never succeed: it becomes a dead letter, with its body unchanged and a reason.</summary>
    DeadLetter,
}

/// <summary>What failed outside the message.</summary>
public enum SettlementFault : byte
{
    /// <summary>Nothing.</summary>
    None = 0,

    /// <summary>Something that may work later: a throttled or unreachable store. See <see cref="Settlement.Transient"/>.</summary>
    Transient,

    /// <summary>The service refuses the worker itself. See <see cref="Settlement.Refused"/>.</summary>
    Refused,
}
