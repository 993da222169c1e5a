using BenchmarkDotNet.Attributes;

namespace Lab.Techniques.WorkItems;

/// <summary>Ten thousand pieces of work queued to the thread pool; figures per piece.</summary>
public abstract class WorkItemBenchmarks
{
    private const int Pieces = 10_000;

    [GlobalSetup]
    public async Task Setup() => Agreement.Require(Pieces, await TaskRun(), await Closure(), await Delegate(), await WorkItemGlobal(), await WorkItemLocal());

    [Benchmark(Baseline = true, OperationsPerInvoke = Pieces)]
    public Task<int> TaskRun() => RunAsync(QueueWay.TaskRun, Pieces);

    [Benchmark(OperationsPerInvoke = Pieces)]
    public Task<int> Closure() => RunAsync(QueueWay.Closure, Pieces);

    [Benchmark(OperationsPerInvoke = Pieces)]
    public Task<int> Delegate() => RunAsync(QueueWay.Delegate, Pieces);

    [Benchmark(OperationsPerInvoke = Pieces)]
    public Task<int> WorkItemGlobal() => RunAsync(QueueWay.WorkItemGlobal, Pieces);

    [Benchmark(OperationsPerInvoke = Pieces)]
    public Task<int> WorkItemLocal() => RunAsync(QueueWay.WorkItemLocal, Pieces);

    protected abstract Task<int> RunAsync(QueueWay way, int pieces);
}
