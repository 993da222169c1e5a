using BenchmarkDotNet.Attributes;

namespace Lab.Techniques.ThreadStatics;

/// <summary>Scratch memory of 1 KiB, used for the duration of a call.</summary>
public class ThreadStaticBenchmarks
{
    [GlobalSetup]
    public void Setup() => Agreement.Require(Touch.Sum, New(), ThreadStatic(), ThreadLocal(), AsyncLocal(), SharedPool(), ArrayPool());

    [Benchmark(Baseline = true)]
    public int New() => Scratch.New();

    [Benchmark]
    public int ThreadStatic() => Scratch.ThreadStatic();

    [Benchmark]
    public int ThreadLocal() => Scratch.ThreadLocal();

    [Benchmark]
    public int AsyncLocal() => Scratch.AsyncLocal();

    [Benchmark]
    public int SharedPool() => Scratch.SharedPool();

    [Benchmark]
    public int ArrayPool() => Scratch.ArrayPool();
}
