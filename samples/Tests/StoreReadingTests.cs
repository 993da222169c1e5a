using Quayside.Messaging.Handlers;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Testing;
using Quayside.Pipeline.Settlements;
using Samples.Archive;
using Xunit;

namespace Samples.Tests;

public sealed class StoreReadingTests
{
    [Fact]
    public async Task Handle_AReadingTwice_StoresItOnceAndCompletesBoth()
    {
        await using TestWorker worker = await StartAsync();
        Reading reading = new("cellar/1", DateTimeOffset.UnixEpoch, 11.5);

        Assert.Equal(Settlement.Complete, await worker.SendAsync(reading));
        Assert.Equal(Settlement.Complete, await worker.SendAsync(reading));

        Assert.Equal(["readings/cellar%2F1/19700101T000000.csv"], worker.Stored.Objects.Keys);
    }

    [Fact]
    public async Task Handle_AnotherReadingOfTheSameSecond_IsADeadLetter()
    {
        await using TestWorker worker = await StartAsync();
        Reading reading = new("cellar/1", DateTimeOffset.UnixEpoch, 11.5);
        await worker.SendAsync(reading);

        Settlement settlement = await worker.SendAsync(reading with { Celsius = 12 });

        Assert.Equal(ObjectStore.CollisionReason, settlement.Reason);
    }

    private static Task<TestWorker> StartAsync() => TestWorker.StartAsync(
        worker => worker.AddStoringHandler<Reading, StoreReading>("Readings", ReadingJson.Default.Reading),
        [new("Routes:readings:Handler", "Readings"), new("Routes:readings:Sink", TestWorker.Sink)]);
}
