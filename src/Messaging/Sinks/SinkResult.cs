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
