using System.Buffers;
using System.Text;
using BenchmarkDotNet.Attributes;
using Messaging.Archive;
using Messaging.Sinks.Bundles;
using Pipeline.Buffers;

namespace Benchmarks.Bundles;

/// <summary>A bundle of 500 of the demo's messages, compressed; per message. The set-up prints the sizes.</summary>
public class BundleBenchmarks
{
    private const int Messages = 500;

    private readonly PooledBuffer _content = BufferPool.Shared.Rent(64 << 10);
    private BundleWaiter[] _entries = [];

    [GlobalSetup]
    public void Setup()
    {
        Random random = new(5);
        _entries = [.. Enumerable.Range(0, Messages).Select(index => Entry(index, random))];
        int raw = _entries.Sum(entry => entry.Body.Length);
        Console.WriteLine($"// {raw / Messages} B per message, of which gzip leaves {100.0 * Gzip() / raw:0.0} % and Zstandard {100.0 * Zstd() / raw:0.0} %");
    }

    [GlobalCleanup]
    public void Cleanup() => _content.Dispose();

    [Benchmark(Baseline = true, OperationsPerInvoke = Messages)]
    public int Gzip() => Write(BundleCompression.Gzip);

    [Benchmark(OperationsPerInvoke = Messages)]
    public int Zstd() => Write(BundleCompression.Zstd);

    private static BundleWaiter Entry(int index, Random random)
    {
        byte[] bytes = new byte[16];
        random.NextBytes(bytes);
        ArrayBufferWriter<byte> body = new();
        string id = new Guid(bytes).ToString();
        MessageGenerator.Write(body, index, id, new DateTimeOffset(2026, 1, 31, 10, 0, 0, TimeSpan.Zero).AddSeconds(index));
        BundleWaiter entry = new(null!);
        entry.Open(Encoding.UTF8.GetBytes($"demo/{id}.json"), body.WrittenMemory);
        return entry;
    }

    private int Write(BundleCompression compression)
    {
        _content.Truncate(0);
        BundleContent.Write(compression, _entries, _content, CancellationToken.None);
        return _content.Length;
    }
}
