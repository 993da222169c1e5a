using BenchmarkDotNet.Attributes;
using Benchmarks.CloudFront;

namespace Lab.CloudFront;

/// <summary>75 logs of 10,000 rows, one after the other, as in the talk's table.</summary>
public class CloudFrontFilesBenchmarks
{
    private const int Files = 75;

    private readonly WorkerColumns _columns = new();
    private readonly WorkerDocuments _documents = new(new DiscardingSink());
    private readonly LogRecords _records = new();
    private byte[][] _files = [];

    [GlobalSetup]
    public async Task Setup()
    {
        _files = LogFiles.Many(Files);
        foreach (byte[] file in _files)
        {
            await LogCheck.RequireAsync(file, LogFiles.Rows);
        }
    }

    [GlobalCleanup]
    public void Cleanup() => _records.Dispose();

    [Benchmark(Baseline = true)]
    public long Original() => _files.Sum(file => OriginalLog.Read(file).Count);

    [Benchmark]
    public async Task<long> Optimised()
    {
        long rows = 0;
        foreach (byte[] file in _files)
        {
            rows += await OptimisedLog.ReadAsync(file, _records);
        }

        return rows;
    }

    [Benchmark]
    public long Columns()
    {
        long bytes = 0;
        foreach (byte[] file in _files)
        {
            bytes += _columns.Read(file);
        }

        return bytes;
    }

    [Benchmark]
    public async Task<long> BulkBody()
    {
        long documents = 0;
        foreach (byte[] file in _files)
        {
            documents += await _documents.ReadAsync(file);
        }

        return documents;
    }
}
