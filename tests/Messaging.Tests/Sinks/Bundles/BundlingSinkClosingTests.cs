using Quayside.Messaging.Sinks;

namespace Messaging.Tests.Sinks.Bundles;

/// <summary>When a bundle is closed, and which bundle.</summary>
public sealed class BundlingSinkClosingTests
{
    [Fact]
    public async Task Store_BelowEveryLimit_WaitsAndStoresNothing()
    {
        await using BundleFixture bundles = new();

        Task<SinkResult> message = bundles.StoreAsync("p/1.json");
        bundles.Time.Advance(TimeSpan.FromSeconds(9.999));

        message.IsCompleted.ShouldBeFalse();
        bundles.Sink.PendingMessages.ShouldBe(1);
        bundles.Inner.Unread.ShouldBe(0);
    }

    [Fact]
    public async Task Store_CountReached_StoresTheBundleAndCompletesEachAfterIt()
    {
        await using BundleFixture bundles = new(maxMessages: 3);

        Task<SinkResult>[] messages = [.. Enumerable.Range(1, 3).Select(i => bundles.StoreAsync($"p/{i}.json"))];
        RecordedPut put = await bundles.Inner.NextAsync();

        put.Lines.ShouldBe(["""{"key":"p/1.json"}""", """{"key":"p/2.json"}""", """{"key":"p/3.json"}"""]);
        put.Key.ShouldMatch("^p/1-[0-9a-f]{32}\\.ndjson\\.gz$");
        messages.ShouldAllBe(message => !message.IsCompleted);
        put.Answer(SinkStatus.Stored);
        (await Task.WhenAll(messages)).ShouldAllBe(result => result.Status == SinkStatus.Stored);
        bundles.Reasons.ShouldBe(["count"]);
        bundles.Sink.PendingMessages.ShouldBe(0);
        bundles.Sink.PendingBytes.ShouldBe(0);
    }

    [Fact]
    public async Task Store_EstimatedSizeReached_StoresTheBundle()
    {
        await using BundleFixture bundles = new(maxBytes: 1_024);

        // The first estimate is a quarter: 4,096 bytes of bodies count as 1,024.
        _ = bundles.StoreAsync("p/1.json", new string('1', 4_095));
        bundles.Sink.PendingMessages.ShouldBe(1);
        _ = bundles.StoreAsync("p/2.json", "2");

        (await bundles.Inner.NextAsync()).Lines.Length.ShouldBe(2);
        bundles.Reasons.ShouldBe(["size"]);
    }

    [Fact]
    public async Task Store_EarlierBundlesCompressedBetter_TakesMoreBeforeTheSizeIsReached()
    {
        await using BundleFixture bundles = new(maxBytes: 64 << 10) { Inner = { Rule = static _ => SinkResult.Stored } };
        await bundles.StoreAsync("p/first.json", new string('1', 256 << 10));

        _ = bundles.StoreAsync("p/more.json", new string('1', 256 << 10));

        bundles.Sink.PendingMessages.ShouldBe(1);
        bundles.Reasons.ShouldBe(["size"]);
    }

    [Fact]
    public async Task Store_FirstMessageHasWaitedItsAge_StoresTheBundle()
    {
        await using BundleFixture bundles = new();

        _ = bundles.StoreAsync("p/1.json");
        bundles.Time.Advance(TimeSpan.FromSeconds(6));
        _ = bundles.StoreAsync("p/2.json");
        _ = bundles.StoreAsync("q/1.json");
        bundles.Time.Advance(TimeSpan.FromSeconds(4));

        (await bundles.Inner.NextAsync()).Key.ShouldStartWith("p/1-");
        bundles.Sink.PendingMessages.ShouldBe(1);
        bundles.Time.Advance(TimeSpan.FromSeconds(6));
        (await bundles.Inner.NextAsync()).Key.ShouldStartWith("q/1-");
        bundles.Reasons.ShouldBe(["age", "age"]);
    }

    [Fact]
    public async Task Store_HalfTheBytesWait_StoresTheLeastRecentlyUsedBundleFirst()
    {
        await using BundleFixture bundles = new(maxPendingBytes: 10);

        _ = bundles.StoreAsync("a/1.json", "1234");
        _ = bundles.StoreAsync("b/1.json", "1234");
        _ = bundles.StoreAsync("a/2.json", "12");
        bundles.Sink.PendingBytes.ShouldBe(10);
        _ = bundles.StoreAsync("c/1.json", "1");

        (await bundles.Inner.NextAsync()).Key.ShouldStartWith("b/1-");
        bundles.Sink.PendingBytes.ShouldBe(7);
        _ = bundles.StoreAsync("c/2.json", "12345");
        (await bundles.Inner.NextAsync()).Key.ShouldStartWith("a/1-");
        bundles.Reasons.ShouldBe(["memory", "memory"]);
    }

    [Fact]
    public async Task Store_MessageLargerThanHalfTheBytes_IsStoredAlone()
    {
        await using BundleFixture bundles = new(maxPendingBytes: 10);

        _ = bundles.StoreAsync("a/1.json", "12345678901");

        (await bundles.Inner.NextAsync()).Lines.ShouldBe(["12345678901"]);
        bundles.Sink.PendingBytes.ShouldBe(0);
    }

    [Fact]
    public async Task Store_HalfTheSlotsWait_StoresTheLeastRecentlyUsedBundle()
    {
        await using BundleFixture bundles = new(maxPending: 4);

        _ = bundles.StoreAsync("a/1.json");
        _ = bundles.StoreAsync("b/1.json");
        _ = bundles.StoreAsync("a/2.json");
        _ = bundles.StoreAsync("c/1.json");

        (await bundles.Inner.NextAsync()).Key.ShouldStartWith("b/1-");
        bundles.Sink.PendingMessages.ShouldBe(3);
        bundles.Reasons.ShouldBe(["slots"]);
    }

    [Fact]
    public async Task StopWaiting_OpenBundles_StoresThemImmediatelyAndLaterMessagesSoon()
    {
        await using BundleFixture bundles = new();
        _ = bundles.StoreAsync("a/1.json");
        _ = bundles.StoreAsync("b/1.json");

        bundles.Sink.StopWaiting();

        bundles.Sink.PendingMessages.ShouldBe(0);
        string[] keys = [(await bundles.Inner.NextAsync()).Key[..4], (await bundles.Inner.NextAsync()).Key[..4]];
        keys.ShouldBe(["a/1-", "b/1-"], ignoreOrder: true);

        // Messages that a channel still delivers share a bundle.
        Task<SinkResult>[] late = [bundles.StoreAsync("a/2.json"), bundles.StoreAsync("a/3.json")];
        bundles.Time.Advance(TimeSpan.FromMilliseconds(100));
        RecordedPut put = await bundles.Inner.NextAsync();
        put.Lines.Length.ShouldBe(2);
        put.Answer(SinkStatus.Stored);
        await Task.WhenAll(late);
        bundles.Reasons.ShouldBe(["shutdown", "shutdown", "shutdown"]);
        bundles.Sink.StopWaiting();
    }

    [Fact]
    public async Task StopWaiting_InnerSinkGathersToo_StopsWaitingAsWell()
    {
        await using BundleFixture bundles = new();

        bundles.Sink.StopWaiting();

        bundles.Inner.HasStoppedWaiting.ShouldBeTrue();
    }

    [Fact]
    public async Task Store_AfterAFailure_OneBundleAtATimeIsStoredWithoutWaiting()
    {
        await using BundleFixture bundles = new(maxMessages: 2);
        Task<SinkResult>[] failed = [bundles.StoreAsync("a/1.json"), bundles.StoreAsync("a/2.json")];
        (await bundles.Inner.NextAsync()).Answer(SinkStatus.Transient);
        await Task.WhenAll(failed);

        Task<SinkResult> probe = bundles.StoreAsync("b/1.json");
        RecordedPut probing = await bundles.Inner.NextAsync();
        Task<SinkResult> waiting = bundles.StoreAsync("c/1.json");
        _ = bundles.StoreAsync("d/1.json");
        bundles.Sink.PendingMessages.ShouldBe(2);

        // It fails too: the oldest waiting bundle is next.
        probing.Answer(SinkStatus.Refused);
        await probe;
        RecordedPut next = await bundles.Inner.NextAsync();
        next.Key.ShouldStartWith("c/1-");
        bundles.Sink.PendingMessages.ShouldBe(1);

        next.Answer(SinkStatus.Stored);
        await waiting;
        _ = bundles.StoreAsync("d/2.json");
        (await bundles.Inner.NextAsync()).Lines.Length.ShouldBe(2);
        bundles.Reasons.ShouldBe(["count", "probe", "probe", "count"]);
    }

    [Fact]
    public async Task Store_BreakerIsNotClosed_IsStoredWithoutWaiting()
    {
        await using BundleFixture bundles = new();
        bundles.Breaker.Refused("denied");

        Task<SinkResult> probe = bundles.StoreAsync("a/1.json");

        (await bundles.Inner.NextAsync()).Answer(SinkStatus.Stored);
        (await probe).Status.ShouldBe(SinkStatus.Stored);
        bundles.Reasons.ShouldBe(["probe"]);
    }

    [Fact]
    public async Task Metrics_BundleStored_ShowItsSizeItsMessagesAndTheWaitingOnes()
    {
        await using BundleFixture bundles = new(maxMessages: 2) { Inner = { Rule = static _ => SinkResult.Stored } };

        await Task.WhenAll(bundles.StoreAsync("a/1.json"), bundles.StoreAsync("a/2.json"));
        _ = bundles.StoreAsync("a/3.json", "12345");
        RecordedPut put = await bundles.Inner.NextAsync();
        bundles.AskGauges();

        bundles.Metrics.ShouldBe([
            "worker.bundles.flushes=1 worker.reason=count",
            $"worker.bundles.size={put.Bytes.Length}",
            "worker.bundles.messages=2",
            "worker.bundles.pending_messages=1",
            "worker.bundles.pending_bytes=5",
        ]);
    }
}
