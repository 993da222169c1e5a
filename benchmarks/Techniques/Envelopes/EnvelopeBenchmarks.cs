using BenchmarkDotNet.Attributes;

namespace Benchmarks.Techniques.Envelopes;

/// <summary>Ten thousand messages through a queue, a message: sent and then taken by one thread, or by two at once.</summary>
public class EnvelopeBenchmarks
{
    private const int Envelopes = 10_000;

    [GlobalSetup]
    public async Task Setup() =>
        Agreement.Require(Envelopes, StructSameThread(), ClassSameThread(), BoxedStructSameThread(), await StructAcrossThreads(), await ClassAcrossThreads());

    [Benchmark(Baseline = true, OperationsPerInvoke = Envelopes)]
    public int StructSameThread() => Mail.StructsOnOneThread(Envelopes);

    [Benchmark(OperationsPerInvoke = Envelopes)]
    public int ClassSameThread() => Mail.ClassesOnOneThread(Envelopes);

    [Benchmark(OperationsPerInvoke = Envelopes)]
    public int BoxedStructSameThread() => Mail.BoxesOnOneThread(Envelopes);

    [Benchmark(OperationsPerInvoke = Envelopes)]
    public Task<int> StructAcrossThreads() => Mail.StructsAcrossThreadsAsync(Envelopes);

    [Benchmark(OperationsPerInvoke = Envelopes)]
    public Task<int> ClassAcrossThreads() => Mail.ClassesAcrossThreadsAsync(Envelopes);
}
