using System.IO.Pipelines;
using BenchmarkDotNet.Attributes;
using Benchmarks.Keys;

namespace Lab.Json;

/// <summary>
/// The five properties of a message of 300 bytes: high (Deserialize), mid (JsonDocument) and low (Utf8JsonReader), from bytes, a stream and a pipe over a
/// stream.
/// </summary>
public class MessageReadingBenchmarks
{
    private static readonly StreamPipeReaderOptions Kept = new(leaveOpen: true);

    private readonly MemoryStream _stream = new();
    private byte[] _bytes = [];

    [GlobalSetup]
    public async Task Setup()
    {
        _bytes = KeyInput.Bytes();
        _stream.Write(_bytes);
        LevelCheck.Require(
            Reflection(), new MessageFields("2019-04-01T10:00:00Z", "My Product", "Site Key", "My Event", "0f8fad5b-d9cb-469f-a165-70867728950e"));
        LevelCheck.Require(Reflection(), HighLevel(), MidLevel(), LowLevel());
        LevelCheck.Require(Reflection(), await HighLevelStream(), await MidLevelStream(), await LowLevelStream(), await HighLevelPipe(), await LowLevelPipe());
    }

    /// <summary>As most developers write it: objects by reflection.</summary>
    [Benchmark(Baseline = true)]
    public MessageFields Reflection() => MessageLevels.Reflection(_bytes);

    [Benchmark]
    public MessageFields HighLevel() => MessageLevels.High(_bytes);

    [Benchmark]
    public ValueTask<MessageFields> HighLevelStream() => MessageLevels.HighAsync(Rewound());

    [Benchmark]
    public ValueTask<MessageFields> HighLevelPipe() => MessageLevels.HighAsync(PipeReader.Create(Rewound(), Kept));

    [Benchmark]
    public MessageFields MidLevel() => MessageLevels.Mid(_bytes);

    [Benchmark]
    public ValueTask<MessageFields> MidLevelStream() => MessageLevels.MidAsync(Rewound());

    [Benchmark]
    public MessageFields LowLevel() => MessageLevels.Low(_bytes);

    [Benchmark]
    public ValueTask<MessageFields> LowLevelStream() => MessageLevels.LowAsync(Rewound());

    [Benchmark]
    public ValueTask<MessageFields> LowLevelPipe() => MessageLevels.LowAsync(PipeReader.Create(Rewound(), Kept));

    private MemoryStream Rewound()
    {
        _stream.Position = 0;
        return _stream;
    }
}
