using Pipeline.Settlements;

namespace Messaging.Handlers;

/// <summary>
/// Handles messages of one JSON type. The worker reads the body first; a body that is not JSON, or not a <typeparamref name="T"/>, is
/// dead-lettered as <c>malformed-json</c>, <c>invalid-utf8</c> or <c>wrong-shape</c> and never reaches the handler.
/// <para>
/// Delivery is at least once: a message may be redelivered after it was handled, so handling it twice must have the effect of handling
/// it once. Threads: one instance handles any number of messages concurrently (scoped handlers: one each).
/// </para>
/// </summary>
/// <typeparam name="T">What the body is read into. The handler owns the object; a retry gets a new one.</typeparam>
public interface IMessageHandler<in T>
{
    /// <summary>Handles one message and decides its settlement. Completing synchronously costs the worker no allocation.</summary>
    /// <param name="message">The message, never null.</param>
    /// <param name="info">What else is known about it. A borrow that ends with the returned task.</param>
    /// <param name="cancellationToken">
    /// Cancelled when the message has taken longer than <c>Intake:MessageTimeout</c>, and when the drain timeout of a shutdown has ended.
    /// A handler that ignores it keeps its slot; 15 s later the worker reports itself unhealthy.
    /// </param>
    /// <returns>
    /// <see cref="Settlement.Complete"/>, <see cref="Settlement.Abandon"/> or <see cref="Settlement.DeadLetter"/>; when a dependency of
    /// the handler is down, <see cref="Settlement.Transient"/> or <see cref="Settlement.Refused"/>. An undecided <c>default</c> abandons the message
    /// and is logged.
    /// </returns>
    /// <exception cref="Exception">
    /// Counts as transient and unknown: tried <c>Recoverability:Attempts</c> times in a row, then abandoned with backoff, and
    /// dead-lettered as <c>unhandled-exception</c> on delivery <c>Recoverability:MaxDeliveries</c>.
    /// </exception>
    /// <exception cref="TransientFaultException">As <see cref="Settlement.Transient"/>: retried like any other, but never a reason to dead-letter.</exception>
    /// <exception cref="RefusedException">As <see cref="Settlement.Refused"/>: not retried; the route's breaker opens immediately.</exception>
    /// <exception cref="PoisonMessageException">As <see cref="Settlement.DeadLetter"/>, under the exception's reason.</exception>
    /// <exception cref="OperationCanceledException">Of its own token: the message is abandoned, during a shutdown without delay.</exception>
    ValueTask<Settlement> HandleAsync(T message, MessageInfo info, CancellationToken cancellationToken);
}
