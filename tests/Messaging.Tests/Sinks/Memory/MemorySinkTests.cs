using Quayside.Messaging.Sinks;
using Quayside.Messaging.Sinks.Memory;

namespace Messaging.Tests.Sinks.Memory;

public sealed class MemorySinkTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Store_BeyondTheCapacity_CountsAndKeepsNothing()
    {
        await using MemorySink sink = new(new MemorySinkOptions { Capacity = 25 });

        (await sink.StoreAsync("a"u8.ToArray(), new byte[9], Token)).ShouldBe(SinkResult.Stored);
        (await sink.StoreAsync("b"u8.ToArray(), new byte[9], Token)).ShouldBe(SinkResult.Stored);
        (await sink.StoreAsync("c"u8.ToArray(), new byte[9], Token)).ShouldBe(SinkResult.Stored);
        (await sink.StoreAsync("d"u8.ToArray(), new byte[4], Token)).ShouldBe(SinkResult.Stored);

        sink.Count.ShouldBe(4);
        sink.Objects.Keys.Order().ShouldBe(["a", "b", "d"]);
    }

    [Fact]
    public async Task Store_DuplicatesAndCollisions_DoNotUseUpTheCapacity()
    {
        await using MemorySink sink = new(new MemorySinkOptions { Capacity = 30 });

        for (int i = 0; i < 10; i++)
        {
            await sink.StoreAsync("a"u8.ToArray(), new byte[9], Token);
            await sink.StoreAsync("a"u8.ToArray(), new byte[8], Token);
        }

        (await sink.StoreAsync("b"u8.ToArray(), new byte[9], Token)).ShouldBe(SinkResult.Stored);
        sink.Objects.Keys.Order().ShouldBe(["a", "b"]);
        sink.Count.ShouldBe(2);
    }
}
