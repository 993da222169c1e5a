namespace Benchmarks.Aws.Put;

/// <summary>What one client process prints at its end, as a line of JSON.</summary>
/// <param name="WarmUpRounds">Rounds until two agreed.</param>
/// <param name="Settled">True when two agreed before the rounds ran out.</param>
/// <param name="TotalPuts">Warm-up included.</param>
/// <param name="Rounds">The measured rounds.</param>
internal sealed record PutClientReport(int WarmUpRounds, bool Settled, long TotalPuts, IReadOnlyList<PutRound> Rounds);
