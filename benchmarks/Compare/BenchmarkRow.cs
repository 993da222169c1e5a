namespace Benchmarks.Compare;

/// <summary>One measured row of a report.</summary>
/// <param name="Name">Suite, method and parameters.</param>
/// <param name="Nanoseconds">Median time an operation.</param>
/// <param name="Bytes">Bytes allocated an operation; null when not measured.</param>
internal sealed record BenchmarkRow(string Name, double Nanoseconds, long? Bytes);
