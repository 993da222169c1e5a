using System.Globalization;
using Benchmarks.Reports;

namespace Benchmarks.Sockets.Receiving;

/// <summary>One receiver's figures: medians over the rounds of all passes; the loss covers everything sent, including the warm-up.</summary>
internal sealed record ReceivingRow(string Receiver, double PerSecond, double CpuMicroseconds, double Bytes, double SentPerSecond, double Loss)
{
    public static ReceivingRow Of(string receiver, IReadOnlyList<ReceivingPass> passes)
    {
        ReceivingRound[] rounds = [.. passes.SelectMany(pass => pass.Rounds)];
        return new ReceivingRow(
            receiver,
            Medians.Of(rounds.Select(round => round.PerSecond)),
            Medians.Of(rounds.Select(round => round.CpuMicroseconds)),
            Medians.Of(rounds.Select(round => round.Bytes)),
            Medians.Of(rounds.Select(round => round.SentPerSecond)),
            1 - (passes.Sum(pass => pass.Received) / (double)passes.Sum(pass => pass.Sent)));
    }

    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"{Receiver}, {PerSecond:N0}/s received of {SentPerSecond:N0}/s sent, {CpuMicroseconds:F3} us of processor and {Bytes:F2} B each, {Loss:P3} lost");
}
