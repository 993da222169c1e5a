using BenchmarkDotNet.Attributes;

namespace Lab.Techniques.Downcasts;

/// <summary>
/// A hundred objects cast to their own type; figures per object. To a sealed type, to a type parameter, and to a type parameter without a check.
/// </summary>
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
