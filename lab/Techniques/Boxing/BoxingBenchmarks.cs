using BenchmarkDotNet.Attributes;

namespace Lab.Techniques.Boxing;

/// <summary>Comparing two values of an enum through a type parameter.</summary>
public class BoxingBenchmarks
{
    private const int Comparisons = 100;
    private DayState[] _states = [];

    [GlobalSetup]
    public void Setup()
    {
        Random random = new(20_190_401);
        _states = [.. Enumerable.Range(0, Comparisons + 1).Select(_ => (DayState)random.Next(4))];
        Agreement.Require(ObjectEquals(), StaticEquals(), EscapingBox(), DefaultComparer());
    }

    [Benchmark(Baseline = true, OperationsPerInvoke = Comparisons)]
    public int ObjectEquals() => StateMachine<DayState>.ObjectEquals(_states);

    [Benchmark(OperationsPerInvoke = Comparisons)]
    public int StaticEquals() => StateMachine<DayState>.StaticEquals(_states);

    [Benchmark(OperationsPerInvoke = Comparisons)]
    public int EscapingBox() => StateMachine<DayState>.EscapingBox(_states);

    [Benchmark(OperationsPerInvoke = Comparisons)]
    public int DefaultComparer() => StateMachine<DayState>.DefaultComparer(_states);
}
