namespace Benchmarks.Sockets.Receiving;

/// <summary>How a receiving benchmark runs.</summary>
/// <param name="Seconds">Seconds per round.</param>
/// <param name="Rounds">Measured rounds per process, after the warm-up.</param>
/// <param name="Passes">Runs of each receiver, in turn.</param>
/// <param name="Results">Folder for the report; null for none.</param>
internal sealed record ReceivingOptions(double Seconds, int Rounds, int Passes, DirectoryInfo? Results);
