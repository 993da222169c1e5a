using BenchmarkDotNet.Attributes;

namespace Benchmarks.Techniques.Collectors;

/// <summary>A heap and a collecting thread a core.</summary>
[GcServer(true)]
public class ServerCollectorBenchmarks : CollectorBenchmarks;
