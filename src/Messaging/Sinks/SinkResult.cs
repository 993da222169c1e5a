namespace Messaging.Sinks;

/// <summary>The outcome of one <see cref="IObjectSink.StoreAsync"/>.</summary>
/// <param name="Status">What happened.</param>
/// <param name="Detail">For people: which call failed and how, at most 256 characters; null on success.</param>
/// <param name="RetryAfter">Transient only: the least wait the store asked for; zero when it did not say.</param>
/// <param name="Exhausted">Transient only: true when the sink has retried by itself, so that the caller must not retry in process.</param>
/// <param name="IsShared">True when the object went, or failed, together with another message's: that one reports to the breaker.</param>
public readonly record struct SinkResult(SinkStatus Status, string? Detail = null, TimeSpan RetryAfter = default, bool Exhausted = false, bool IsShared = false)
{
    /// <summary>Stored by this call.</summary>
    public static SinkResult Stored => new(SinkStatus.Stored);

    /// <summary>Stored before, with the same bytes.</summary>
    public static SinkResult AlreadyStored => new(SinkStatus.AlreadyStored);
}
