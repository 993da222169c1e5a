namespace Proof.Simulation;

/// <summary>A world did not end: the pool's only thread runs without end, or waits. No other world can run in this process.</summary>
internal sealed class HungException(TimeSpan limit)
    : Exception(
        FormattableString.Invariant($"the world did not end within {limit.TotalSeconds} s of processor time, or {10 * limit.TotalSeconds} s of real time"));
