namespace Messaging.Sinks;

/// <summary>The outcome of one <see cref="IObjectSink.StoreAsync"/>.</summary>
/// <param name="Status">The status.</param>
/// <param name="Detail">Which call failed and how, as text of at most 256 characters; null on success.</param>
/// <param name="RetryAfter">Transient only: the minimum wait that the store asked for; zero without one.</param>
/// <param name="Exhausted">Transient only: true when the sink itself has retried, so that the caller must not retry in process.</param>
/// <param name="IsShared">True when several messages share this outcome and another of them reports it to the breaker.</param>
public readonly record struct SinkResult(SinkStatus Status, string? Detail = null, TimeSpan RetryAfter = default, bool Exhausted = false, bool IsShared = false)
{
    /// <summary>The object was stored by this call.</summary>
    public static SinkResult Stored => new(SinkStatus.Stored);

    /// <summary>The object existed with the same bytes.</summary>
    public static SinkResult AlreadyStored => new(SinkStatus.AlreadyStored);
}

/// <summary>The outcome of storing one object, or the documents of one message.</summary>
public enum SinkStatus
{
    /// <summary>No outcome: a defect of the sink. The message fails as if the sink had thrown; it never counts as stored.</summary>
    Undecided = 0,

    /// <summary>Stored durably by this call (or by an earlier attempt of it whose response was lost).</summary>
    Stored,

    /// <summary>The object existed with the same bytes: a duplicate. Counts as stored.</summary>
    AlreadyStored,

    /// <summary>The key holds other bytes. Nothing was changed; the message is dead-lettered as <c>key-collision</c>.</summary>
    Collision,

    /// <summary>Throttled, unreachable, timed out or disk full: a retry may succeed.</summary>
    Transient,

    /// <summary>The sink refuses the worker itself (access denied, no such bucket): an operator has to act.</summary>
    Refused,

    /// <summary>The sink will never accept this object (too large, key not allowed): poison.</summary>
    Rejected,
}
