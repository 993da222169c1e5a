using System.IO.Pipelines;
using BenchmarkDotNet.Attributes;
using Lab.Json;

namespace Lab.Seeds;

/// <summary>The levels of System.Text.Json over an empty document: what each costs before it reads anything.</summary>
public class EmptyDocumentBenchmarks
{
    private static readonly StreamPipeReaderOptions Kept = new(leaveOpen: true);

    private readonly byte[] _bytes = "{}"u8.ToArray();
    private readonly MemoryStream _stream = new("{}"u8.ToArray());

    [GlobalSetup]
    public async Task Setup() => LevelCheck.Require(
        new MessageFields(null, null, null, null, null), await HighLevelStream(), await MidLevelStream(), await LowLevelPipe(), LowLevel());

    [Benchmark(Baseline = true)]
    public ValueTask<MessageFields> HighLevelStream() => MessageLevels.HighAsync(Rewound());

    [Benchmark]
    public ValueTask<MessageFields> MidLevelStream() => MessageLevels.MidAsync(Rewound());

    [Benchmark]
    public ValueTask<MessageFields> LowLevelPipe() => MessageLevels.LowAsync(PipeReader.Create(Rewound(), Kept));

    [Benchmark]
    public MessageFields LowLevel() => MessageLevels.Low(_bytes);

    private MemoryStream Rewound()
    {
        _stream.Position = 0;
        return _stream;
    }
}
