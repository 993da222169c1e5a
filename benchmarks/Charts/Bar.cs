namespace Benchmarks.Charts;

internal sealed record Bar(string Label, double Nanoseconds, long Bytes);
