using BenchmarkDotNet.Attributes;
using Quayside.Pipeline.Buffers;

namespace Lab.Techniques.JsonPooling;

/// <summary>The same object on every core in parallel, the last replies of each thread held as a sender would hold them. Time and bytes of one reply.</summary>
public class JsonPoolingConcurrentBenchmarks : IDisposable
{
    private const int Replies = 10_000;
    // On two cores, these are the 64 messages that a worker has in flight.
    private const int Held = 32;

    private readonly Reply _reply = ReplySample.Create();
    private readonly ReplyWriter[] _writers = [.. Enumerable.Range(0, Environment.ProcessorCount).Select(_ => new ReplyWriter())];

    [GlobalSetup]
    public void Setup() => Agreement.Require(NewStringBuilder(), PooledStringBuilder(), PooledWriter());

    [Benchmark(Baseline = true, OperationsPerInvoke = Replies)]
    public long NewStringBuilder() => OnAllCores(share => WriteArrays(share, ReplyJson.NewBuilder));

    [Benchmark(OperationsPerInvoke = Replies)]
    public long PooledStringBuilder() => OnAllCores(share => WriteArrays(share, ReplyJson.PooledBuilder));

    /// <summary>As in the worker: rented buffers are held, no array is allocated.</summary>
    [Benchmark(OperationsPerInvoke = Replies)]
    public long PooledWriter() => OnAllCores(WriteBuffers);

    public void Dispose() => Array.ForEach(_writers, static writer => writer.Dispose());

    /// <returns>The bytes written.</returns>
    private long OnAllCores(Func<(int Thread, int Replies), long> write)
    {
        long bytes = 0;
        int threads = _writers.Length;
        Parallel.For(0, threads, new ParallelOptions { MaxDegreeOfParallelism = threads }, thread =>
            Interlocked.Add(ref bytes, write((thread, (Replies / threads) + (thread < Replies % threads ? 1 : 0)))));
        return bytes;
    }

    private long WriteArrays((int Thread, int Replies) share, Func<Reply, byte[]> write)
    {
        byte[][] held = new byte[Held][];
        long bytes = 0;
        for (int i = 0; i < share.Replies; i++)
        {
            byte[] reply = write(_reply);
            held[i % Held] = reply;
            bytes += reply.Length;
        }

        return bytes;
    }

    private long WriteBuffers((int Thread, int Replies) share)
    {
        PooledBuffer?[] held = new PooledBuffer?[Held];
        long bytes = 0;
        for (int i = 0; i < share.Replies; i++)
        {
            held[i % Held]?.Dispose();
            PooledBuffer reply = _writers[share.Thread].Write(_reply);
            held[i % Held] = reply;
            bytes += reply.Length;
        }

        Array.ForEach(held, static reply => reply?.Dispose());
        return bytes;
    }
}
