using BenchmarkDotNet.Attributes;

namespace Lab.Techniques.StringJoins;

/// <summary>Ten numbers as one string of 28 characters.</summary>
public class StringJoinBenchmarks
{
    private const int Count = 10;

    [GlobalSetup]
    public void Setup() => Agreement.Require("0, 1, 2, 3, 4, 5, 6, 7, 8, 9", StringJoin(), StringBuilder(), ValueStringBuilder(), InterpolationHandler());

    [Benchmark(Baseline = true)]
    public string StringJoin() => NumberList.Join(Count);

    [Benchmark]
    public string StringBuilder() => NumberList.Builder(Count);

    [Benchmark]
    public string ValueStringBuilder() => NumberList.ValueBuilder(Count);

    [Benchmark]
    public string InterpolationHandler() => NumberList.Handler(Count);
}
