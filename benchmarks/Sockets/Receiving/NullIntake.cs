using Messaging.Sources;
using Pipeline.Messages;
using Pipeline.Settlements;

namespace Benchmarks.Sockets.Receiving;

/// <summary>A route that always has a free slot and completes each message at once. Threads: one source thread.</summary>
internal sealed class NullIntake : IMessageIntake
{
    private long _received;

    public long Received => Volatile.Read(ref _received);

    public ValueTask<int> ReserveAsync(int min, int max, CancellationToken cancellationToken) => new(max);

    public IntakeAnswer TryReserve() => IntakeAnswer.Reserved;

    public void Release(int slots)
    {
    }

    public void Accept(ReceivedMessage message)
    {
        ValueTask settling = message.SettleAsync(Settlement.Complete, CancellationToken.None);
        if (!settling.IsCompletedSuccessfully)
        {
            throw new InvalidOperationException("Completing a held message is immediate.");
        }

        Volatile.Write(ref _received, _received + 1);
    }
}
