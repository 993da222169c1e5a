using Messaging.Sources;
using Pipeline.Messages;

namespace Worker.Tests.Aws.Sqs;

/// <summary>Grants slots exactly when the worker stops.</summary>
internal sealed class StoppingIntake(CancellationTokenSource stop) : IMessageIntake
{
    public int Reserved { get; private set; }

    public ValueTask<int> ReserveAsync(int min, int max, CancellationToken cancellationToken)
    {
        stop.Cancel();
        Reserved += max;
        return new ValueTask<int>(max);
    }

    public IntakeAnswer TryReserve() => IntakeAnswer.Stopping;

    public void Release(int slots) => Reserved -= slots;

    public void Accept(ReceivedMessage message) => throw new NotSupportedException("Nothing is delivered here.");
}
