using Quayside.Messaging.Sources;
using Quayside.Pipeline.Messages;

namespace Quayside.Messaging.Testing;

/// <summary>Changes messages on their way to another intake.</summary>
internal sealed class ForwardingIntake(IMessageIntake intake, Func<ReceivedMessage, ReceivedMessage> change) : IMessageIntake
{
    public async ValueTask<SlotLease> ReserveAsync(int min, int max, CancellationToken cancellationToken) =>
        Wrap(await intake.ReserveAsync(min, max, cancellationToken));

    public IntakeAnswer TryReserve(out SlotLease slot)
    {
        IntakeAnswer answer = intake.TryReserve(out SlotLease inner);
        slot = answer == IntakeAnswer.Reserved ? Wrap(inner) : default;
        return answer;
    }

    public Task WhenPausedAsync(CancellationToken cancellationToken) => intake.WhenPausedAsync(cancellationToken);

    private SlotLease Wrap(SlotLease slots) => new(new Forwarding(slots, change), slots.Count);

    private sealed class Forwarding(SlotLease slots, Func<ReceivedMessage, ReceivedMessage> change) : ISlotOwner
    {
        public void Accept(ReadOnlySpan<ReceivedMessage> messages)
        {
            foreach (ReceivedMessage message in messages)
            {
                slots.Accept(change(message));
            }
        }

        public void Release(int count) => slots.Split(count).Dispose();
    }
}
