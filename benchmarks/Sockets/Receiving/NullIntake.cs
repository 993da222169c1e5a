using Quayside.Messaging.Sources;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;

namespace Benchmarks.Sockets.Receiving;

/// <summary>A route that always has a free slot and completes each message immediately. Threads: one source thread.</summary>
internal sealed class NullIntake : IMessageIntake, ISlotOwner
{
    private long _received;

    public long Received => Volatile.Read(ref _received);

    public ValueTask<SlotLease> ReserveAsync(int min, int max, CancellationToken cancellationToken) => new(new SlotLease(this, max));

    public IntakeAnswer TryReserve(out SlotLease slot)
    {
        slot = new SlotLease(this, 1);
        return IntakeAnswer.Reserved;
    }

    public void Release(int slots)
    {
    }

    public void Accept(ReadOnlySpan<ReceivedMessage> messages)
    {
        foreach (ReceivedMessage message in messages)
        {
            Accept(message);
        }
    }

    private void Accept(ReceivedMessage message)
    {
        ValueTask settling = message.SettleAsync(Settlement.Complete, CancellationToken.None);
        if (!settling.IsCompletedSuccessfully)
        {
            throw new InvalidOperationException("Completing a held message is immediate.");
        }

        Volatile.Write(ref _received, _received + 1);
    }
}
