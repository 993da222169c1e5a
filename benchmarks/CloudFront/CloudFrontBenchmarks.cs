using BenchmarkDotNet.Attributes;

namespace Benchmarks.CloudFront;

/// <summary>
/// One log of 10,000 rows: compressed bytes to three columns, and on to the body for Elasticsearch. Limit: <see cref="GunzipOnly"/> and <see cref="SplitOnly"/>
/// together.
/// </summary>
public class CloudFrontBenchmarks
{
    private readonly WorkerColumns _columns = new();
    private readonly WorkerDocuments _documents = new(new DiscardingSink());
    private readonly LogRecords _records = new();
    private readonly byte[] _buffer = new byte[128 * 1024];
    private byte[] _compressed = [];
    private byte[] _plain = [];

    [GlobalSetup]
    public async Task Setup()
    {
        _compressed = LogFiles.One();
        _plain = LogFiles.Plain();
        await LogCheck.RequireAsync(_compressed, LogFiles.Rows);
        if (GunzipOnly() != _plain.Length || SplitOnly() != Columns())
        {
            throw new InvalidOperationException("The limits do not do the same work.");
        }
    }

    [GlobalCleanup]
    public void Cleanup() => _records.Dispose();

    [Benchmark(Baseline = true)]
    public int Original() => OriginalLog.Read(_compressed).Count;

    [Benchmark]
    public ValueTask<int> Optimised() => OptimisedLog.ReadAsync(_compressed, _records);

    [Benchmark]
    public long Columns() => _columns.Read(_compressed);

    [Benchmark]
    public ValueTask<long> BulkBody() => _documents.ReadAsync(_compressed);

    [Benchmark]
    public long GunzipOnly() => LogLimits.Gunzip(_compressed, _buffer);

    [Benchmark]
    public long SplitOnly() => LogLimits.Split(_plain);
}
