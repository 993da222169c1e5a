using Messaging.Sources;
using Pipeline.Messages;
using Pipeline.Settlements;

namespace Worker.Tests.Aws.Sqs;

/// <summary>Completes and counts every message on arrival; a settlement may make it wait.</summary>
internal sealed class CountingIntake : IMessageIntake
{
    // Waiting settlements hold slots, as in a route.
    private readonly SemaphoreSlim _slots = new(64);
    private long _completed;

    public long Completed => Volatile.Read(ref _completed);

    public async ValueTask<int> ReserveAsync(int min, int max, CancellationToken cancellationToken)
    {
        for (int i = 0; i < max; i++)
        {
            await _slots.WaitAsync(cancellationToken);
        }

        return max;
    }

    public IntakeAnswer TryReserve() => IntakeAnswer.Full;

    public void Release(int slots) => _slots.Release(slots);

    public void Accept(ReceivedMessage message)
    {
        ValueTask settling = message.SettleAsync(Settlement.Complete, CancellationToken.None);
        if (settling.IsCompletedSuccessfully)
        {
            Count();
        }
        else
        {
            _ = CountLaterAsync(settling);
        }
    }

    public async Task WaitForAsync(long completed)
    {
        while (Completed < completed)
        {
            await Task.Delay(5);
        }
    }

    private async Task CountLaterAsync(ValueTask settling)
    {
        await settling;
        Count();
    }

    private void Count()
    {
        Interlocked.Increment(ref _completed);
        _slots.Release();
    }
}
