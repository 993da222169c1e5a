using BenchmarkDotNet.Attributes;

namespace Lab.Techniques.Collectors;

/// <summary>Twenty thousand messages on two threads; figures per message.</summary>
public abstract class CollectorBenchmarks
{
    private const int Messages = 20_000;

    [GlobalSetup]
    public async Task Setup() => Agreement.Require(Messages, await Allocating(), await Pooled());

    [Benchmark(Baseline = true, OperationsPerInvoke = Messages)]
    public Task<int> Allocating() => MessageLoad.AllocatingAsync(Messages);

    [Benchmark(OperationsPerInvoke = Messages)]
    public Task<int> Pooled() => MessageLoad.PooledAsync(Messages);
}
