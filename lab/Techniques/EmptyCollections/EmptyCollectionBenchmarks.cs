using BenchmarkDotNet.Attributes;

namespace Lab.Techniques.EmptyCollections;

/// <summary>An empty read-only list, passed on.</summary>
public class EmptyCollectionBenchmarks
{
    [GlobalSetup]
    public void Setup() => Agreement.Require(0, NewList().Count, NewArray().Count, ArrayEmpty().Count, CollectionExpression().Count, ListExpression().Count);

    [Benchmark(Baseline = true)]
    public IReadOnlyList<object> NewList() => new List<object>();

    /// <summary>The code that the analyzers warn about.</summary>
    [Benchmark]
#pragma warning disable CA1825, MA0005 // Measures allocating an empty array
    public IReadOnlyList<object> NewArray() => new object[0];
#pragma warning restore CA1825, MA0005

    [Benchmark]
    public IReadOnlyList<object> ArrayEmpty() => Array.Empty<object>();

    [Benchmark]
    public IReadOnlyList<object> CollectionExpression() => [];

    /// <summary>The same two characters, where the caller may add items.</summary>
    [Benchmark]
    public List<object> ListExpression() => [];
}
