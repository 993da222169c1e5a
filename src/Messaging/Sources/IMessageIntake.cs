using Quayside.Pipeline.Messages;

namespace Quayside.Messaging.Sources;

/// <summary>
/// Accepts a source's messages for the route. The source reserves slots, then receives, then passes the messages to
/// <see cref="SlotLease.Accept(ReceivedMessage)"/>,
/// so that a paused or full route never receives a message that it cannot process. Threads: any.
/// </summary>
public interface IMessageIntake
{
    /// <summary>
    /// Waits until receiving is allowed (not paused, breaker closed, bytes in flight below the limit) and at least <paramref name="min"/> slots are free,
    /// then reserves up to <paramref name="max"/>. While the breaker is half open it grants a single slot, regardless of <paramref name="min"/>.
    /// </summary>
    /// <returns>A lease of 1 to <paramref name="max"/> slots; dispose it.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled while waiting.</exception>
    ValueTask<SlotLease> ReserveAsync(int min, int max, CancellationToken cancellationToken);

    /// <summary>Reserves one slot if that is possible without waiting; for sources that can ask the sender to retry later.</summary>
    /// <param name="slot">A lease of the slot, to be disposed, when the answer is <see cref="IntakeAnswer.Reserved"/>; otherwise without a slot.</param>
    IntakeAnswer TryReserve(out SlotLease slot);

    /// <summary>
    /// Completes when an operator has paused the route. For sources that keep reserved slots while they wait for messages: such a source then
    /// stops to receive and releases them. Never completes for an intake that cannot be paused.
    /// </summary>
    /// <exception cref="OperationCanceledException">The token was cancelled while waiting.</exception>
    Task WhenPausedAsync(CancellationToken cancellationToken) => Task.Delay(Timeout.InfiniteTimeSpan, cancellationToken);
}

/// <summary>The answer to <see cref="IMessageIntake.TryReserve"/>.</summary>
public enum IntakeAnswer
{
    /// <summary>No answer: a defect of the intake. No slot is reserved.</summary>
    Undecided = 0,

    /// <summary>A slot is reserved.</summary>
    Reserved,

    /// <summary>Slots or bytes in flight are at their limit: retry shortly.</summary>
    Full,

    /// <summary>The breaker is open, or an operator has paused the route: retry after the breaker's open time.</summary>
    Paused,

    /// <summary>The worker is stopping.</summary>
    Stopping,
}
