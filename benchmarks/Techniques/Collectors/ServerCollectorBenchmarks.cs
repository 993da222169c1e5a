namespace Benchmarks.Techniques.Collectors;

/// <summary>A heap and a collecting thread a core.</summary>
[Collector(server: true)]
public class ServerCollectorBenchmarks : CollectorBenchmarks;
