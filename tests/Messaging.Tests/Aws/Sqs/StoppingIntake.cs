using Quayside.Messaging.Sources;
using Quayside.Pipeline.Messages;

namespace Messaging.Tests.Aws.Sqs;

/// <summary>Grants slots exactly when the worker stops.</summary>
internal sealed class StoppingIntake(CancellationTokenSource stop) : IMessageIntake, ISlotOwner
{
    public int Reserved { get; private set; }

    public ValueTask<SlotLease> ReserveAsync(int min, int max, CancellationToken cancellationToken)
    {
        stop.Cancel();
        Reserved += max;
        return new ValueTask<SlotLease>(new SlotLease(this, max));
    }

    public IntakeAnswer TryReserve(out SlotLease slot)
    {
        slot = default;
        return IntakeAnswer.Stopping;
    }

    public void Release(int slots) => Reserved -= slots;

    public void Accept(ReadOnlySpan<ReceivedMessage> messages) => throw new NotSupportedException("Nothing is delivered here.");
}
