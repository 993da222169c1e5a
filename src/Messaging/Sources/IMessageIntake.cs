using Pipeline.Messages;

namespace Messaging.Sources;

/// <summary>
/// Accepts a source's messages for the route. The source reserves a slot, then receives, then calls <see cref="Accept(ReceivedMessage)"/>, so that a paused or
/// full route never receives a message that it cannot process. Threads: any.
/// </summary>
public interface IMessageIntake
{
    /// <summary>
    /// Waits until receiving is allowed (breaker closed, bytes in flight below the limit) and at least <paramref name="min"/> slots are free,
    /// then reserves up to <paramref name="max"/>. While the breaker is half open it grants a single slot, regardless of <paramref name="min"/>.
    /// </summary>
    /// <returns>The number of slots reserved, at least 1. Each must end in <see cref="Accept(ReceivedMessage)"/> or <see cref="Release"/>.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled while waiting.</exception>
    ValueTask<int> ReserveAsync(int min, int max, CancellationToken cancellationToken);

    /// <summary>Reserves one slot if that is possible without waiting; for sources that can ask the sender to retry later.</summary>
    IntakeAnswer TryReserve();

    /// <summary>Releases unused reserved slots.</summary>
    /// <param name="slots">Their number; at most the number of reserved slots.</param>
    void Release(int slots);

    /// <summary>
    /// Accepts a message on a reserved slot and returns at once. From here on the route owns the message and settles it, even if reading its
    /// body throws: <see cref="Pipeline.Settlements.PoisonMessageException"/> dead-letters it, any other exception abandons it.
    /// </summary>
    /// <exception cref="InvalidOperationException">No slot is reserved: a defect in the caller.</exception>
    void Accept(ReceivedMessage message);

    /// <summary>Accepts several messages, each on a reserved slot, as <see cref="Accept(ReceivedMessage)"/> does for one; at a lower cost per message.</summary>
    /// <param name="messages">The messages; the span is not used after the call.</param>
    /// <exception cref="InvalidOperationException">Fewer slots are reserved: a defect in the caller.</exception>
    void Accept(ReadOnlySpan<ReceivedMessage> messages)
    {
        foreach (ReceivedMessage message in messages)
        {
            Accept(message);
        }
    }
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

    /// <summary>The breaker is open: retry after its open time.</summary>
    Paused,

    /// <summary>The worker is stopping.</summary>
    Stopping,
}
