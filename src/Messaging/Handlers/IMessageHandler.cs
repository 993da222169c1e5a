using Quayside.Messaging.Configuration;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Handlers;

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
    /// <exception cref="TransientException">As <see cref="Settlement.Transient"/>: retried like any other, but never a reason to dead-letter.</exception>
    /// <exception cref="ServiceRefusedException">As <see cref="Settlement.Refused"/>: not retried; the route's breaker opens immediately.</exception>
    /// <exception cref="DeadLetterException">As <see cref="Settlement.DeadLetter"/>, under the exception's reason.</exception>
    /// <exception cref="OperationCanceledException">Of its own token: the message is abandoned, during a shutdown without delay.</exception>
    ValueTask<Settlement> HandleAsync(T message, MessageInfo info, CancellationToken cancellationToken);
}

/// <summary>
/// Handles messages of one JSON type in batches, such as the rows of one INSERT. The worker collects the messages of a route until
/// it has <c>MaxMessages</c>, or the first has waited for <c>MaxAge</c>, or the route stops. Messages whose bodies cannot be read
/// are dead-lettered first, as for <see cref="IMessageHandler{T}"/>, and are in no batch.
/// <para>Delivery is at least once. Threads: several batches may be handled concurrently, by one instance.</para>
/// </summary>
/// <typeparam name="T">What bodies are read into.</typeparam>
public interface IBatchHandler<T>
{
    /// <summary>
    /// Handles a batch, and settles each of its messages with <see cref="MessageBatch{T}.Settle"/>. The settlements are carried out when
    /// the returned task completes. A message that is undecided by then is abandoned with backoff, and dead-lettered as
    /// <c>deliveries-exhausted</c> (after an exception <c>unhandled-exception</c>) on delivery <c>Recoverability:MaxDeliveries</c>.
    /// </summary>
    /// <param name="batch">At least one message. A message that has used half of its deliveries is in a batch of its own, so that none is dead-lettered because
    /// of its neighbours.</param>
    /// <param name="cancellationToken">Cancelled when a message of the batch has taken longer than <c>Intake:MessageTimeout</c>, and when the drain timeout of
    /// a shutdown has ended.</param>
    /// <exception cref="Exception">Messages settled before stay settled; the rest is abandoned, as above. Nothing is retried in process.</exception>
    /// <exception cref="TransientException">The same, but never a reason to dead-letter; a failure for the route's breaker.</exception>
    /// <exception cref="ServiceRefusedException">The same, and the route's breaker opens immediately.</exception>
    ValueTask HandleAsync(MessageBatch<T> batch, CancellationToken cancellationToken);
}

/// <summary>Settings of a batch handler, section <c>Handlers:{name}</c>. Derive from it to add settings of the handler's own.</summary>
public class BatchOptions
{
    /// <summary>Messages at which a batch is passed to the handler; 32.</summary>
    [Setting(
        "Messages at which a batch is passed to the handler; each holds its slot until the handler has returned, "
            + "so Intake:Concurrency must be at least twice as many", Min = "1", Max = "5000")]
    public int MaxMessages { get; set; } = 32;

    /// <summary>Longest wait of a batch's first message until the batch is passed to the handler; 1 s.</summary>
    [Setting(
        "Longest wait of a batch's first message until the batch is passed to the handler; HTTP callers wait as long", Min = "1ms", Max = "1h",
        Consequence = "Messages are acknowledged that much later.")]
    public TimeSpan MaxAge { get; set; } = TimeSpan.FromSeconds(1);
}
