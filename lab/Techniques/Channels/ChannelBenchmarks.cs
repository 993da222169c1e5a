using BenchmarkDotNet.Attributes;

namespace Lab.Techniques.Channels;

/// <summary>Passing 10,000 items to another thread; figures per item.</summary>
public class ChannelBenchmarks
{
    private const int Items = 10_000;

    [GlobalSetup]
    public async Task Setup() =>
    Agreement.Require(Items * (Items - 1L) / 2, await LockedQueue(), await BlockingCollection(), await BoundedChannel(), await UnboundedChannel());

    [Benchmark(Baseline = true, OperationsPerInvoke = Items)]
    public Task<long> LockedQueue() => ProducerConsumer.LockedQueueAsync(Items);

    [Benchmark(OperationsPerInvoke = Items)]
    public Task<long> BlockingCollection() => ProducerConsumer.BlockingCollectionAsync(Items);

    [Benchmark(OperationsPerInvoke = Items)]
    public Task<long> BoundedChannel() => ProducerConsumer.BoundedChannelAsync(Items);

    [Benchmark(OperationsPerInvoke = Items)]
    public Task<long> UnboundedChannel() => ProducerConsumer.UnboundedChannelAsync(Items);
}
