using BenchmarkDotNet.Attributes;

namespace Lab.Techniques.Stackalloc;

/// <summary>Eighty bytes of scratch memory, by their location.</summary>
public class StackallocBenchmarks
{
    [GlobalSetup]
    public void Setup() => Agreement.Require(Fibonacci.Sum, EscapingArray(), LocalArray(), StackAlloc(), RentedArray());

    [Benchmark(Baseline = true)]
    public int EscapingArray() => Fibonacci.EscapingArray();

    [Benchmark]
    public int LocalArray() => Fibonacci.LocalArray();

    [Benchmark]
    public int StackAlloc() => Fibonacci.OnTheStack();

    [Benchmark]
    public int RentedArray() => Fibonacci.Rented();
}
