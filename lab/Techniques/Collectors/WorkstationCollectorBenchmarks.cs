namespace Lab.Techniques.Collectors;

/// <summary>One heap, collected by the thread that needs memory; concurrent for the oldest generation.</summary>
[Collector(server: false)]
public class WorkstationCollectorBenchmarks : CollectorBenchmarks;
