namespace Quayside.Messaging.Recoverability;

/// <summary>
/// A route's circuit breaker, as a handler or sink reports to it: while the sink fails, no message is received. In a route without a sink, the handler reports
/// the outcome of its calls. Only the worker implements it. Threads: any.
/// </summary>
public interface IBreaker
{
    /// <summary>A store, or a call of the handler, worked: also when the answer was that the message is wrong.</summary>
    void Succeeded();

    /// <summary>It failed for now. Many such failures open the breaker.</summary>
    /// <param name="detail">What failed, for logs and the page; one sentence.</param>
    void Failed(string detail);

    /// <summary>Access was denied: opens the breaker immediately.</summary>
    /// <param name="detail">As for <see cref="Failed"/>.</param>
    void Refused(string detail);

    /// <summary>The service asked for fewer calls: fewer messages are in flight.</summary>
    void Throttled();

    internal BreakerState State { get; }
}
