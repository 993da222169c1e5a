namespace Proof.Simulation;

/// <summary>How often a call fails, and how: shares of 1.</summary>
internal readonly record struct FaultRates(
    double LostRequest, double LostAnswer, double Error, double Stall, double Slow, double FailedEntry, double Duplicate);
