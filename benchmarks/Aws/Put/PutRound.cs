namespace Benchmarks.Aws.Put;

/// <summary>What one client process spent in one round.</summary>
internal sealed record PutRound(double Seconds, long Puts, long Bytes, double CpuSeconds)
{
    // Bytes are nearly exact; time is not, least of all on a shared machine.
    private const double SameBytes = 0.02;
    private const double SameCpu = 0.05;

    public double BytesAPut => (double)Bytes / Puts;

    public double CpuMicrosecondsAPut => CpuSeconds * 1e6 / Puts;

    public double PutsASecond => Puts / Seconds;

    /// <summary>Whether two rounds are so similar that the compiler has finished its work.</summary>
    public bool Agrees(PutRound other) => Near(BytesAPut, other.BytesAPut, SameBytes) && Near(CpuMicrosecondsAPut, other.CpuMicrosecondsAPut, SameCpu);

    private static bool Near(double one, double other, double share) => Math.Abs(one - other) <= share * Math.Max(one, other);
}
