using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Engines;

namespace Lab.Techniques.ArraySlicing;

/// <summary>Taking a quarter of an array; the last two rows also read it.</summary>
public class ArraySlicingBenchmarks
{
    private readonly Consumer _consumer = new();
    private int[] _array = [];

    [Params(10, 1_000, 10_000)]
    public int Size { get; set; }

    [GlobalSetup]
    public void Setup()
    {
        _array = [.. Enumerable.Range(0, Size)];
        string expected = string.Join(',', ArraySlices.Linq(_array));
        Agreement.Require(
            expected, string.Join(',', LinqToArray()), string.Join(',', ArrayCopy()), string.Join(',', NewArray()),
            string.Join(',', ArraySlices.Span(_array).ToArray()));
        Agreement.Require(LinqSum(), SpanSum());
    }

    [Benchmark(Baseline = true)]
    public void Original() => ArraySlices.Linq(_array).Consume(_consumer);

    [Benchmark]
    public int[] LinqToArray() => ArraySlices.LinqToArray(_array);

    [Benchmark]
    public int[] ArrayCopy() => ArraySlices.Copied(_array);

    [Benchmark]
    public int[] NewArray() => ArraySlices.CopiedByLoop(_array);

    /// <returns>The last element, since a span cannot be returned to the benchmark engine.</returns>
    [Benchmark]
    public int Span() => ArraySlices.Span(_array)[^1];

    [Benchmark]
    public long LinqSum() => ArraySlices.LinqSum(_array);

    [Benchmark]
    public long SpanSum() => ArraySlices.SpanSum(_array);
}
