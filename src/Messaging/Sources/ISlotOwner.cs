using Pipeline.Messages;

namespace Messaging.Sources;

/// <summary>The other side of a <see cref="SlotLease"/>: for implementers of <see cref="IMessageIntake"/>, such as test doubles. Sources use the lease. Threads: any.</summary>
public interface ISlotOwner
{
    /// <summary>Accepts messages, each on a slot of a lease; the lease has checked that it has as many.</summary>
    /// <param name="messages">The messages, 1 or more; the span is not used after the call.</param>
    void Accept(ReadOnlySpan<ReceivedMessage> messages);

    /// <summary>Takes back slots of a lease that have no message.</summary>
    /// <param name="slots">Their number, 1 or more.</param>
    void Release(int slots);
}
