namespace Lab.Techniques.Collectors;

/// <summary>One heap and one collecting thread per core.</summary>
[Collector(server: true)]
public class ServerCollectorBenchmarks : CollectorBenchmarks;
