using Quayside.Messaging.Sources;
using Quayside.Pipeline.Messages;

namespace Messaging.Tests.Aws.Sqs;

/// <summary>Throws on the first reservation, as a defect would, and works afterwards.</summary>
internal sealed class BreakingIntake : IMessageIntake, ISlotOwner
{
    private int _reservations;

    public ValueTask<SlotLease> ReserveAsync(int min, int max, CancellationToken cancellationToken) =>
        Interlocked.Increment(ref _reservations) == 1 ? throw new NotSupportedException("A defect.") : new ValueTask<SlotLease>(new SlotLease(this, max));

    public IntakeAnswer TryReserve(out SlotLease slot)
    {
        slot = new SlotLease(this, 1);
        return IntakeAnswer.Reserved;
    }

    public void Release(int slots)
    {
    }

    public void Accept(ReadOnlySpan<ReceivedMessage> messages) => throw new NotSupportedException("Nothing is delivered here.");
}
