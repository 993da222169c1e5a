using System.Threading.Channels;
using Quayside.Messaging.Sources;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Sources;

/// <summary>Completes every message, synchronously or on another thread, and allocates nothing itself.</summary>
internal sealed class CompletingIntake : IMessageIntake, ISlotOwner
{
    private readonly Channel<ReceivedMessage>? _later;
    private int _completed;

    public CompletingIntake(bool onAnotherThread = false)
    {
        if (onAnotherThread)
        {
            _later = Channel.CreateUnbounded<ReceivedMessage>();
            _ = Task.Run(CompleteAllAsync);
        }
    }

    public int Completed => Volatile.Read(ref _completed);

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
        if (_later is null)
        {
            Complete(message);
        }
        else
        {
            _later.Writer.TryWrite(message);
        }
    }

    private async Task CompleteAllAsync()
    {
        while (await _later!.Reader.WaitToReadAsync())
        {
            while (_later.Reader.TryRead(out ReceivedMessage? message))
            {
                Complete(message);
            }
        }
    }

    private void Complete(ReceivedMessage message)
    {
        ValueTask settling = message.SettleAsync(Settlement.Complete, CancellationToken.None);
        settling.IsCompletedSuccessfully.ShouldBeTrue();
        Interlocked.Increment(ref _completed);
    }
}
