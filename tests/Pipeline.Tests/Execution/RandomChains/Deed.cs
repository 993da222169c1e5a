using Pipeline.Tests.Parts;

namespace Pipeline.Tests.Execution.RandomChains;

/// <summary>The behaviour of one call of a part: when it completes, and whether with an exception.</summary>
/// <param name="Timing">How it completes.</param>
/// <param name="Fault">0 for none; otherwise the type of exception that it throws.</param>
internal readonly record struct Deed(Timing Timing, int Fault)
{
    public void ThrowIfFault(string part)
    {
        switch (Fault)
        {
            case 1:
                throw new PartException(part);
            case 2:
                throw new OperationCanceledException(part);
            case 3:
                throw new Quayside.Pipeline.Settlements.TransientException(part);
            case 4:
                throw new FormatException(part);
            default:
                return;
        }
    }

    public override string ToString() => Fault == 0 ? $"{Timing}" : $"{Timing}-throws{Fault}";
}
