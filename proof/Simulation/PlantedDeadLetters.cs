using Quayside.Messaging.DeadLetters;

namespace Proof.Simulation;

/// <summary>A store of dead letters with <see cref="Defect.SkipDeadLetter"/>.</summary>
internal sealed class PlantedDeadLetters : IDeadLetterStore
{
    public static IDeadLetterStore Wrap(IDeadLetterStore store, Defect defect) => defect == Defect.SkipDeadLetter ? new PlantedDeadLetters() : store;

    public ValueTask<string> WriteAsync(DeadLetter letter, ReadOnlyMemory<byte> body, CancellationToken cancellationToken) => new(letter.SourceId);
}
