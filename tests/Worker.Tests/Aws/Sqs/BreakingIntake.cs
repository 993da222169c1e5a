using Messaging.Sources;
using Pipeline.Messages;

namespace Worker.Tests.Aws.Sqs;

/// <summary>Throws on the first reservation, as a defect would, and works afterwards.</summary>
internal sealed class BreakingIntake : IMessageIntake
{
    private int _reservations;

    public ValueTask<int> ReserveAsync(int min, int max, CancellationToken cancellationToken) =>
        Interlocked.Increment(ref _reservations) == 1 ? throw new NotSupportedException("A defect.") : new ValueTask<int>(max);

    public IntakeAnswer TryReserve() => IntakeAnswer.Reserved;

    public void Release(int slots)
    {
    }

    public void Accept(ReceivedMessage message) => throw new NotSupportedException("Nothing is delivered here.");
}
