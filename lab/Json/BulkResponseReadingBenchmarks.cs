using System.IO.Pipelines;
using BenchmarkDotNet.Attributes;

namespace Lab.Json;

/// <summary>
/// The failed ids of a bulk response of 25 KB: high (Deserialize), mid (JsonDocument) and low (Utf8JsonReader), from bytes, a stream and a pipe over a stream.
/// </summary>
public class BulkResponseReadingBenchmarks
{
    private static readonly StreamPipeReaderOptions Kept = new(leaveOpen: true);

    private readonly MemoryStream _stream = new();
    private byte[] _bytes = [];

    [GlobalSetup]
    public async Task Setup()
    {
        _bytes = BulkResponseDocument.Create();
        _stream.Write(_bytes);
        LevelCheck.Require(Reflection(), HighLevel(), MidLevel(), LowLevel());
        LevelCheck.Require(Reflection(), await HighLevelStream(), await MidLevelStream(), await LowLevelStream(), await HighLevelPipe(), await LowLevelPipe());
    }

    /// <summary>As most developers write it: objects by reflection.</summary>
    [Benchmark(Baseline = true)]
    public List<string> Reflection() => BulkLevels.Reflection(_bytes);

    [Benchmark]
    public List<string> HighLevel() => BulkLevels.High(_bytes);

    [Benchmark]
    public ValueTask<List<string>> HighLevelStream() => BulkLevels.HighAsync(Rewound());

    [Benchmark]
    public ValueTask<List<string>> HighLevelPipe() => BulkLevels.HighAsync(PipeReader.Create(Rewound(), Kept));

    [Benchmark]
    public List<string> MidLevel() => BulkLevels.Mid(_bytes);

    [Benchmark]
    public ValueTask<List<string>> MidLevelStream() => BulkLevels.MidAsync(Rewound());

    [Benchmark]
    public List<string> LowLevel() => BulkLevels.Low(_bytes);

    [Benchmark]
    public ValueTask<List<string>> LowLevelStream() => BulkLevels.LowAsync(Rewound());

    [Benchmark]
    public ValueTask<List<string>> LowLevelPipe() => BulkLevels.LowAsync(PipeReader.Create(Rewound(), Kept));

    private MemoryStream Rewound()
    {
        _stream.Position = 0;
        return _stream;
    }
}
