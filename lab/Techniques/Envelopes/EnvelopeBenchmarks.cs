using BenchmarkDotNet.Attributes;

namespace Lab.Techniques.Envelopes;

/// <summary>A run of messages through a queue: sent and then taken by one thread, or by two concurrently.</summary>
public class EnvelopeBenchmarks
{
    [Params(10_000, 100_000)]
    public int Messages { get; set; }

    [GlobalSetup]
    public async Task Setup() => Agreement.Require(
        Messages, StructSameThread(), OneObjectSameThread(), ClassSameThread(), BoxedStructSameThread(), await StructAcrossThreads(),
        await ClassAcrossThreads());

    [Benchmark(Baseline = true)]
    public int StructSameThread() => Mail.StructsOnOneThread(Messages);

    /// <summary>The same object sent repeatedly: the queue's own bytes.</summary>
    [Benchmark]
    public int OneObjectSameThread() => Mail.OneObjectOnOneThread(Messages);

    [Benchmark]
    public int ClassSameThread() => Mail.ClassesOnOneThread(Messages);

    [Benchmark]
    public int BoxedStructSameThread() => Mail.BoxesOnOneThread(Messages);

    [Benchmark]
    public Task<int> StructAcrossThreads() => Mail.StructsAcrossThreadsAsync(Messages);

    [Benchmark]
    public Task<int> ClassAcrossThreads() => Mail.ClassesAcrossThreadsAsync(Messages);
}
