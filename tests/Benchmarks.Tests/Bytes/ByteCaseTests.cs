using System.Text.Json;
using Benchmarks.Bytes;

namespace Benchmarks.Tests.Bytes;

public sealed class ByteCaseTests
{
    [Fact]
    public void All_Cases_MatchTheCommittedFile()
    {
        using Stream file = typeof(ByteCaseTests).Assembly.GetManifestResourceStream("expected-bytes.json")!;
        Dictionary<string, long> expected = JsonSerializer.Deserialize<Dictionary<string, long>>(file)!;

        ByteCase.All().Select(one => one.Name).Append(EndToEndBytes.Name).ShouldBe(expected.Keys, ignoreOrder: true);
    }

    [Fact]
    public void Measure_SomethingThatAllocates_CountsItsBytes() => ByteMeter.Measure(new Allocating()).ShouldBe(1_024);

    private sealed record Allocating : ByteCase
    {
        private const int ArrayHeader = 24;

        public override string Name => "Allocating";

        public override int MessagesARun => 2;

        public override Action Prepare() => static () => GC.KeepAlive(GC.AllocateUninitializedArray<byte>(2_048 - ArrayHeader));
    }
}
