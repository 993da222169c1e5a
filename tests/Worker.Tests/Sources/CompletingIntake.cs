using Pipeline.Messages;
using Pipeline.Settlements;
using Worker.Sources;

namespace Worker.Tests.Sources;

/// <summary>Completes every message at once and allocates nothing itself.</summary>
internal sealed class CompletingIntake : IMessageIntake
{
    private int _completed;

    public int Completed => Volatile.Read(ref _completed);

    public ValueTask<int> ReserveAsync(int min, int max, CancellationToken cancellationToken) => new(max);

    public IntakeAnswer TryReserve() => IntakeAnswer.Reserved;

    public void Release(int slots)
    {
    }

    public void Accept(ReceivedMessage message)
    {
        ValueTask settling = message.SettleAsync(Settlement.Complete, CancellationToken.None);
        settling.IsCompletedSuccessfully.ShouldBeTrue();
        Interlocked.Increment(ref _completed);
    }
}
