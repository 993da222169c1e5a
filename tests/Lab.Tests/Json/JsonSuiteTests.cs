using System.IO.Pipelines;
using System.Security.Cryptography;
using Lab.Json;
using Benchmarks.Keys;

namespace Lab.Tests.Json;

/// <summary>Every API level finds the same values, wherever a document is split.</summary>
public sealed class JsonSuiteTests
{
    [Fact]
    public Task Setup_BulkResponseReading_FindsEveryLevelEqual() => new BulkResponseReadingBenchmarks().Setup();

    [Fact]
    public void Create_BulkResponse_GivesTheSameBytesOnEveryMachine()
    {
        byte[] bytes = BulkResponseDocument.Create();

        bytes.Length.ShouldBeInRange(24_000, 27_000);
        Convert.ToHexStringLower(SHA256.HashData(bytes)).ShouldBe("0de66c8b55f515fc7d7579d5320b424cce12ae95f68afc403e0c6c686be1cc97");
    }

    [Fact]
    public async Task LowAsync_MessageCutAnywhere_FindsTheSame()
    {
        byte[] bytes = KeyInput.Bytes();
        MessageFields expected = MessageLevels.Reflection(bytes);
        for (int cut = 0; cut <= bytes.Length; cut++)
        {
            using PiecewiseStream stream = new(bytes, cut);
            (await MessageLevels.LowAsync(stream)).ShouldBe(expected);
            stream.Position = 0;
            (await MessageLevels.LowAsync(PipeReader.Create(stream))).ShouldBe(expected);
        }
    }

    [Fact]
    public async Task LowAsync_BulkResponseInSmallPieces_FindsTheSame()
    {
        byte[] bytes = BulkResponseDocument.Create();
        foreach (int size in (int[])[1, 7, 100, 4_096])
        {
            using PiecewiseStream stream = new(bytes, size, repeat: true);
            (await BulkLevels.LowAsync(stream)).ShouldBe(BulkLevels.Reflection(bytes));
            stream.Position = 0;
            (await BulkLevels.LowAsync(PipeReader.Create(stream))).ShouldBe(BulkLevels.Reflection(bytes));
        }
    }

    [Fact]
    public void Require_AnotherResult_Throws()
    {
        Should.Throw<InvalidOperationException>(() => LevelCheck.Require(["a"], ["b"]));
        Should.Throw<InvalidOperationException>(() => LevelCheck.Require([], (List<string>[])[[]]));
    }
}
