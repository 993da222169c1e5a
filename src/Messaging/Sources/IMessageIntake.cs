using Pipeline.Messages;

namespace Messaging.Sources;

/// <summary>
/// Through it a source hands its messages to the route. The source reserves a slot first, then receives, then calls <see cref="Accept"/>: a
/// paused or full route never pulls a message that it cannot process. Threads: any.
/// </summary>
public interface IMessageIntake
{
    /// <summary>
    /// Waits until receiving is allowed (breaker closed, bytes in flight below the cap) and at least <paramref name="min"/>
    /// slots are free, then reserves up to <paramref name="max"/>. While the breaker is half open it grants a single slot,
    /// whatever <paramref name="min"/> says.
    /// </summary>
    /// <returns>The number of slots reserved, at least 1. Each must end in <see cref="Accept"/> or <see cref="Release"/>.</returns>
    /// <exception cref="OperationCanceledException">The token ended while waiting.</exception>
    ValueTask<int> ReserveAsync(int min, int max, CancellationToken cancellationToken);

    /// <summary>Reserves one slot if that is possible now; for sources whose sender can be asked to retry later.</summary>
    IntakeAnswer TryReserve();

    /// <summary>Releases reserved slots that are not used.</summary>
    /// <param name="slots">Their number; not more than are reserved.</param>
    void Release(int slots);

    /// <summary>
    /// Hands a message in on a reserved slot and returns at once. From here on the route owns the message and settles it, even
    /// when reading its body throws: <see cref="Pipeline.Settlements.PoisonMessageException"/> dead-letters it, anything else abandons it.
    /// </summary>
    /// <exception cref="InvalidOperationException">No slot is reserved: a defect in the caller.</exception>
    void Accept(ReceivedMessage message);
}
