using Benchmarks.Reports;

namespace Benchmarks.Aws.Put;

/// <summary>
/// One client's figures: medians over the rounds of all passes. A processor second is the client's own; the server's time is a separate
/// figure. Settled are the passes whose warm-up ended in two rounds that agree.
/// </summary>
internal sealed record PutRow(
    PutClientKind Client, double BytesAPut, double CpuMicrosecondsAPut, double PutsACpuSecond, double PutsASecond, double ServerCpuMicrosecondsAPut,
    int Settled)
{
    public static PutRow Of(PutClientKind client, IReadOnlyList<PutClientReport> passes, double serverCpuMicrosecondsAPut)
    {
        PutRound[] rounds = [.. passes.SelectMany(pass => pass.Rounds)];
        double cpu = Medians.Of(rounds.Select(round => round.CpuMicrosecondsAPut));
        return new PutRow(
            client,
            Medians.Of(rounds.Select(round => round.BytesAPut)),
            cpu,
            1e6 / cpu,
            Medians.Of(rounds.Select(round => round.PutsASecond)),
            serverCpuMicrosecondsAPut,
            passes.Count(pass => pass.Settled));
    }
}
