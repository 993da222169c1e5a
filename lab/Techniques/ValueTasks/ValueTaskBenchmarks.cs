using BenchmarkDotNet.Attributes;

namespace Lab.Techniques.ValueTasks;

/// <summary>
/// A result that is available immediately: returned as a task or as a value task, then awaited. The runtime caches tasks for some results, 1 among them.
/// </summary>
public class ValueTaskBenchmarks
{
    [Params(1, 1_000)]
    public int Value { get; set; }

    [GlobalSetup]
    public void Setup() => Agreement.Require(Value, TaskFromResult(), AsyncTask(), NewValueTask(), ValueTaskFromResult(), AsyncValueTask());

    [Benchmark(Baseline = true)]
    public int TaskFromResult() => SynchronousResult.FromResult(Value).GetAwaiter().GetResult();

    [Benchmark]
    public int AsyncTask() => SynchronousResult.AsyncTask(Value).GetAwaiter().GetResult();

    [Benchmark]
    public int NewValueTask() => SynchronousResult.NewValueTask(Value).GetAwaiter().GetResult();

    [Benchmark]
    public int ValueTaskFromResult() => SynchronousResult.ValueTaskFromResult(Value).GetAwaiter().GetResult();

    [Benchmark]
    public int AsyncValueTask() => SynchronousResult.AsyncValueTask(Value).GetAwaiter().GetResult();
}
