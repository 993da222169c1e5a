using BenchmarkDotNet.Attributes;

namespace Benchmarks.Techniques.Downcasts;

/// <summary>A hundred objects cast to what they are, one of them: to a sealed type, to a generic parameter, and to that without a check.</summary>
public class DowncastBenchmarks
{
    private const int Items = 100;
    private object[] _items = [];

    [GlobalSetup]
    public void Setup()
    {
        _items = [.. Enumerable.Range(0, Items).Select(count => new SealedCount(count))];
        Agreement.Require(Items * (Items - 1) / 2, CastToParameter(), CastToSealed(), UnsafeAs());
    }

    [Benchmark(Baseline = true, OperationsPerInvoke = Items)]
    public int CastToParameter() => Counted<SealedCount>.Cast(_items);

    [Benchmark(OperationsPerInvoke = Items)]
    public int CastToSealed() => SealedCount.Cast(_items);

    [Benchmark(OperationsPerInvoke = Items)]
    public int UnsafeAs() => Counted<SealedCount>.Unchecked(_items);
}
