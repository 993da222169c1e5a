using BenchmarkDotNet.Attributes;
using Quayside.Messaging.Elasticsearch;

namespace Benchmarks.CloudFront.Bulk;

/// <summary>Documents of 120 bytes into a bulk request: how the lines of 1,000 documents are collected before they are sent.</summary>
public class DocumentWritingBenchmarks
{
    public const int Documents = 1_000;

    private readonly byte[] _id = "0f8fad5bd9cb469fa16570867728950e-0"u8.ToArray();
    private readonly byte[] _json =
        "{\"date\":\"2019-04-01\",\"time\":\"10:00:00\",\"agent\":\"Mozilla/5.0%20(Windows%20NT%2010.0;%20Win64;%20x64)%20AppleWebKit/537\"}"u8.ToArray();
    private readonly DocumentBatch _batch = new(new SegmentPool(retained: 8), new ItemRules("logs"));
    private string _idText = string.Empty;
    private string _jsonText = string.Empty;

    [GlobalSetup]
    public void Setup()
    {
        _idText = System.Text.Encoding.UTF8.GetString(_id);
        _jsonText = System.Text.Encoding.UTF8.GetString(_json);
        if (StringBuilderLines() != BatchSegments())
        {
            throw new InvalidOperationException("The two do not write the same bytes.");
        }
    }

    /// <summary>As it is often written: a text of all lines, then its bytes.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Documents)]
    public int StringBuilderLines()
    {
        System.Text.StringBuilder lines = new();
        for (int i = 0; i < Documents; i++)
        {
            lines.Append(System.Globalization.CultureInfo.InvariantCulture, $"{{\"create\":{{\"_id\":\"{_idText}\"}}}}\n{_jsonText}\n");
        }

        return System.Text.Encoding.UTF8.GetBytes(lines.ToString()).Length;
    }

    /// <summary>The worker's batch, reused.</summary>
    [Benchmark(OperationsPerInvoke = Documents)]
    public int BatchSegments()
    {
        for (int i = 0; i < Documents; i++)
        {
            _batch.Open(ActionLine.Before, _id, ActionLine.Behind);
            _json.CopyTo(_batch.GetSpan(_json.Length));
            _batch.Advance(_json.Length);
            _batch.Close();
        }

        int bytes = _batch.Bytes;
        _batch.Reset();
        return bytes;
    }
}
