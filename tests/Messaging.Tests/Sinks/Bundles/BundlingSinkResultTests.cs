using Messaging.Tests.Intake;
using Messaging.Tests.Telemetry;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Sinks;

namespace Messaging.Tests.Sinks.Bundles;

/// <summary>The result of each message of a bundle.</summary>
public sealed class BundlingSinkResultTests
{
    [Fact]
    public async Task Store_AlreadyStoredBundle_IsADuplicateForEach()
    {
        await using BundleFixture bundles = new(maxMessages: 2) { Inner = { Rule = static _ => SinkResult.AlreadyStored } };

        SinkResult[] results = await Task.WhenAll(bundles.StoreAsync("a/1.json"), bundles.StoreAsync("a/2.json"));

        results.ShouldAllBe(result => result.Status == SinkStatus.AlreadyStored);
    }

    [Fact]
    public async Task Store_SameKeyAndBytesTwice_IsOneLineAndTheSecondADuplicate()
    {
        await using BundleFixture bundles = new(maxMessages: 4);

        Task<SinkResult> first = bundles.StoreAsync("a/1.json");
        Task<SinkResult> second = bundles.StoreAsync("a/1.json");
        Task<SinkResult> third = bundles.StoreAsync("a/1.json");
        Task<SinkResult> other = bundles.StoreAsync("a/2.json");
        RecordedPut put = await bundles.Inner.NextAsync();
        put.Answer(SinkStatus.Stored);

        put.Lines.Length.ShouldBe(2);
        (await first).Status.ShouldBe(SinkStatus.Stored);
        (await second).Status.ShouldBe(SinkStatus.AlreadyStored);
        (await third).Status.ShouldBe(SinkStatus.AlreadyStored);
        (await other).Status.ShouldBe(SinkStatus.Stored);
    }

    [Fact]
    public async Task Store_SameKeyOtherBytes_IsACollisionAndTheFirstStays()
    {
        await using BundleFixture bundles = new(maxMessages: 2);

        _ = bundles.StoreAsync("a/1.json", "1");
        SinkResult collision = await bundles.StoreAsync("a/1.json", "2");
        _ = bundles.StoreAsync("a/2.json", "3");

        collision.Status.ShouldBe(SinkStatus.Collision);
        collision.IsShared.ShouldBeTrue("the sink was not reached: no news for the breaker");
        (await bundles.Inner.NextAsync()).Lines.ShouldBe(["1", "3"]);
    }

    [Theory]
    [InlineData("Transient")]
    [InlineData("Refused")]
    public async Task Store_BundleFails_EachGetsTheFaultAndOneCountsForTheBreaker(string status)
    {
        SinkResult failure = new(Enum.Parse<SinkStatus>(status), "down", TimeSpan.FromSeconds(7));
        await using BundleFixture bundles = new(maxMessages: 4) { Inner = { Rule = _ => failure } };

        SinkResult[] results = await Task.WhenAll(
            bundles.StoreAsync("a/1.json"), bundles.StoreAsync("a/1.json"), bundles.StoreAsync("a/2.json"), bundles.StoreAsync("a/3.json"));

        results.ShouldAllBe(result => result.Status == failure.Status && result.Detail == "down" && result.RetryAfter == failure.RetryAfter);
        results.ShouldAllBe(result => result.Exhausted == (failure.Status == SinkStatus.Transient));
        results.Count(result => !result.IsShared).ShouldBe(1);
    }

    [Fact]
    public async Task Store_BundleIsRejected_OnlyTheFaultyMessageIsRejected()
    {
        await using BundleFixture bundles = new(maxMessages: 5)
        {
            Inner = { Rule = static put => put.Lines.Contains("bad") ? new SinkResult(SinkStatus.Rejected, "no") : SinkResult.Stored },
        };

        SinkResult[] results = await Task.WhenAll(Enumerable.Range(0, 5).Select(i => bundles.StoreAsync($"a/{i}.json", i == 3 ? "bad" : "good")));

        results.Select(result => result.Status).ShouldBe([SinkStatus.Stored, SinkStatus.Stored, SinkStatus.Stored, SinkStatus.Rejected, SinkStatus.Stored]);
    }

    [Fact]
    public async Task Store_NameExistsWithOtherBytes_KeepsTheMessages()
    {
        await using BundleFixture bundles = new(maxMessages: 1) { Inner = { Rule = static _ => new SinkResult(SinkStatus.Collision, "Other bytes.") } };

        SinkResult result = await bundles.StoreAsync("a/1.json");

        result.Status.ShouldBe(SinkStatus.Transient);
        result.Exhausted.ShouldBeTrue();
        result.Detail.ShouldNotBeNull().ShouldEndWith("Other bytes.");
    }

    [Fact]
    public async Task Store_SinkThrows_KeepsTheMessages()
    {
        await using BundleFixture bundles = new(maxMessages: 2);
        Task<SinkResult>[] messages = [bundles.StoreAsync("a/1.json"), bundles.StoreAsync("a/2.json")];

        (await bundles.Inner.NextAsync()).Throw(new InvalidOperationException("a bug"));

        (await Task.WhenAll(messages)).ShouldAllBe(
            result => result.Status == SinkStatus.Transient
                && result.Exhausted
                && result.Detail == "A bundle could not be stored: InvalidOperationException: a bug");
    }

    [Fact]
    public async Task Store_SinkAndLogThrow_KeepsTheMessagesAndGoesOn()
    {
        await using BundleFixture bundles = new(maxMessages: 2, loggers: new FullLog());
        Task<SinkResult>[] messages = [bundles.StoreAsync("a/1.json"), bundles.StoreAsync("a/2.json")];

        (await bundles.Inner.NextAsync()).Throw(new InvalidOperationException("a bug"));

        (await Task.WhenAll(messages)).ShouldAllBe(result => result.Status == SinkStatus.Transient && result.Exhausted);

        // The next message probes the sink: the failed bundle must not remain the probe.
        Task<SinkResult> next = bundles.StoreAsync("a/3.json");
        (await bundles.Inner.NextAsync()).Answer(SinkStatus.Stored);
        (await next).Status.ShouldBe(SinkStatus.Stored);
    }

    [Fact]
    public async Task Store_RejectedAndLogThrows_IsStoredInHalves()
    {
        await using BundleFixture bundles = new(maxMessages: 2, loggers: new FullLog());
        bundles.Inner.Rule = put => new SinkResult(put.Lines.Length > 1 ? SinkStatus.Rejected : SinkStatus.Stored);

        SinkResult[] results = await Task.WhenAll(bundles.StoreAsync("a/1.json"), bundles.StoreAsync("a/2.json"));

        results.ShouldAllBe(result => result.Status == SinkStatus.Stored);
    }

    [Fact]
    public async Task Store_MetricsListenerThrows_IsStored()
    {
        const string Size = "worker.bundles.size";
        await using BundleFixture bundles = new(maxMessages: 1)
        {
            Inner = { Rule = static _ => SinkResult.Stored },
            OnMeasured = static name =>
            {
                if (name == Size)
                {
                    throw new InvalidOperationException("a bug");
                }
            },
        };

        (await bundles.StoreAsync("a/1.json")).Status.ShouldBe(SinkStatus.Stored);

        bundles.Metrics.ShouldContain(line => line.StartsWith(Size, StringComparison.Ordinal));
        bundles.Sink.Objects.ShouldBe(1);
    }

    [Fact]
    public async Task Store_ResultIsReadEarly_ThrowsAndEachMessageHasItsOwnResult()
    {
        await using BundleFixture bundles = new(maxMessages: 1);
        ValueTask<SinkResult> early = bundles.Sink.StoreAsync("a/1.json"u8.ToArray(), "1"u8.ToArray(), CancellationToken.None);

        Should.Throw<InvalidOperationException>(() => early.GetAwaiter().GetResult());
        Task<SinkResult> first = early.AsTask();
        RecordedPut firstPut = await bundles.Inner.NextAsync();
        Task<SinkResult> second = bundles.StoreAsync("a/2.json");
        RecordedPut secondPut = await bundles.Inner.NextAsync();

        firstPut.Answer(SinkStatus.AlreadyStored);
        (await first.WaitAsync(TestMessage.WaitLimit)).Status.ShouldBe(SinkStatus.AlreadyStored);
        second.IsCompleted.ShouldBeFalse();
        secondPut.Answer(SinkStatus.Stored);
        (await second).Status.ShouldBe(SinkStatus.Stored);
    }

    [Fact]
    public async Task Store_CancelledBefore_ThrowsForThatToken()
    {
        await using BundleFixture bundles = new();
        using CancellationTokenSource cancelled = new();
        await cancelled.CancelAsync();

        (await Should.ThrowAsync<OperationCanceledException>(
            () => bundles.StoreAsync("a/1.json", cancellationToken: cancelled.Token))).CancellationToken.ShouldBe(cancelled.Token);
        bundles.Sink.PendingMessages.ShouldBe(0);
    }

    [Fact]
    public async Task Store_CancelledInAnOpenBundle_LeavesIt()
    {
        await using BundleFixture bundles = new();
        using CancellationTokenSource source = new();
        Task<SinkResult> open = bundles.StoreAsync("b/0.json", cancellationToken: source.Token);
        _ = bundles.StoreAsync("b/1.json", "1");
        await source.CancelAsync();

        (await Should.ThrowAsync<OperationCanceledException>(() => open)).CancellationToken.ShouldBe(source.Token);
        bundles.Sink.PendingMessages.ShouldBe(1);
        bundles.Sink.PendingBytes.ShouldBe(1);
        bundles.Time.Advance(TimeSpan.FromSeconds(10));
        (await bundles.Inner.NextAsync()).Lines.ShouldBe(["1"]);
    }

    [Theory]
    [InlineData("")]
    [InlineData("1")]
    [InlineData("12345678")]
    [InlineData("1234567890")]
    [InlineData("123456789012345678")]
    [InlineData("12345678X")]
    public async Task Store_SameKeyAndATruncationOrExtension_IsACollision(string other)
    {
        await using BundleFixture bundles = new();
        Task<SinkResult> first = bundles.StoreAsync("a/1.json", "123456789");

        (await bundles.StoreAsync("a/1.json", other)).Status.ShouldBe(SinkStatus.Collision);

        bundles.Sink.StopWaiting();
        RecordedPut put = await bundles.Inner.NextAsync();
        put.Lines.ShouldBe(["123456789"]);
        put.Answer(SinkResult.Stored);
        (await first).ShouldBe(SinkResult.Stored);
    }

    [Fact]
    public async Task Store_CancelledInAnOpenBundle_ReturnsItsBytesToTheBudget()
    {
        const int Budget = 100;
        await using BundleFixture bundles = new(maxPendingBytes: Budget);
        string body = new('x', 40);
        for (int i = 0; i < 10; i++)
        {
            using CancellationTokenSource source = new();
            Task<SinkResult> cancelled = bundles.StoreAsync($"a/{i}.json", body, source.Token);
            await source.CancelAsync();
            await Should.ThrowAsync<OperationCanceledException>(() => cancelled);
        }

        Task<SinkResult>[] kept = [bundles.StoreAsync("a/x.json", body), bundles.StoreAsync("a/y.json", body)];

        (bundles.Sink.PendingMessages, bundles.Sink.PendingBytes).ShouldBe((2, 80));
        bundles.Reasons.ShouldBeEmpty("Two messages fit in the budget.");
        bundles.Inner.Rule = _ => SinkResult.Stored;
        bundles.Sink.StopWaiting();
        (await Task.WhenAll(kept)).ShouldAllBe(result => result.Status == SinkStatus.Stored);
    }

    [Fact]
    public async Task Store_EveryMessageOfAnOpenBundleCancelled_StoresNothing()
    {
        await using BundleFixture bundles = new();
        using CancellationTokenSource source = new();
        Task<SinkResult> only = bundles.StoreAsync("a/1.json", cancellationToken: source.Token);

        await source.CancelAsync();

        await Should.ThrowAsync<OperationCanceledException>(() => only);
        bundles.Sink.PendingMessages.ShouldBe(0);
        _ = bundles.StoreAsync("a/1.json", "again");
        bundles.Time.Advance(TimeSpan.FromSeconds(10));
        (await bundles.Inner.NextAsync()).Lines.ShouldBe(["again"]);
        bundles.Reasons.ShouldBe(["age"]);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    public async Task Store_OneOfThreeWithTheSameKeyCancelled_TheOthersStay(int which)
    {
        await using BundleFixture bundles = new();
        using CancellationTokenSource source = new();
        Task<SinkResult>[] messages =
            [.. Enumerable.Range(0, 3).Select(i => bundles.StoreAsync("a/1.json", cancellationToken: i == which ? source.Token : default))];

        await source.CancelAsync();
        await Should.ThrowAsync<OperationCanceledException>(() => messages[which]);
        Task<SinkResult> repeat = bundles.StoreAsync("a/1.json");
        bundles.Sink.PendingMessages.ShouldBe(3);
        bundles.Time.Advance(TimeSpan.FromSeconds(10));
        RecordedPut put = await bundles.Inner.NextAsync();
        put.Answer(SinkStatus.Stored);

        put.Lines.Length.ShouldBe(1);
        SinkResult[] results = await Task.WhenAll(messages.Where((_, i) => i != which).Append(repeat));
        results.Count(result => result.Status == SinkStatus.Stored).ShouldBe(1);
        results.Count(result => result.Status == SinkStatus.AlreadyStored).ShouldBe(2);
    }

    [Fact]
    public async Task Store_CancelledWhileItsBundleIsStored_WaitsForTheResult()
    {
        await using BundleFixture bundles = new(maxMessages: 2);
        using CancellationTokenSource source = new();
        Task<SinkResult> cancelled = bundles.StoreAsync("a/1.json", cancellationToken: source.Token);
        Task<SinkResult> other = bundles.StoreAsync("a/2.json");
        RecordedPut put = await bundles.Inner.NextAsync();

        await source.CancelAsync();

        cancelled.IsCompleted.ShouldBeFalse();
        put.CancellationToken.IsCancellationRequested.ShouldBeFalse();
        put.Answer(SinkStatus.Stored);
        (await cancelled).Status.ShouldBe(SinkStatus.Stored);
        (await other).Status.ShouldBe(SinkStatus.Stored);
    }

    [Fact]
    public async Task Store_AllCancelledWhileTheirBundleIsStored_CancelsTheStore()
    {
        await using BundleFixture bundles = new(maxMessages: 2);
        using CancellationTokenSource source = new();
        Task<SinkResult>[] messages =
            [bundles.StoreAsync("a/1.json", cancellationToken: source.Token), bundles.StoreAsync("a/2.json", cancellationToken: source.Token)];
        await bundles.Inner.NextAsync();

        await source.CancelAsync();

        foreach (Task<SinkResult> message in messages)
        {
            (await Should.ThrowAsync<OperationCanceledException>(() => message)).CancellationToken.ShouldBe(source.Token);
        }
    }

    [Fact]
    public async Task Store_CancelledWhileItsBundleWaits_LeavesIt()
    {
        await using BundleFixture bundles = new(maxMessages: 1);
        using CancellationTokenSource source = new();

        // 64 bundles are stored concurrently; the next two wait.
        Task<SinkResult>[] storing = [.. Enumerable.Range(0, 64).Select(i => bundles.StoreAsync($"{i}/1.json"))];
        RecordedPut[] puts = new RecordedPut[64];
        for (int i = 0; i < puts.Length; i++)
        {
            puts[i] = await bundles.Inner.NextAsync();
        }

        Task<SinkResult> leaving = bundles.StoreAsync("leaving/1.json", cancellationToken: source.Token);
        Task<SinkResult> staying = bundles.StoreAsync("staying/1.json");
        await source.CancelAsync();
        await Should.ThrowAsync<OperationCanceledException>(() => leaving);
        foreach (RecordedPut put in puts)
        {
            put.Answer(SinkStatus.Stored);
        }

        await Task.WhenAll(storing);
        RecordedPut last = await bundles.Inner.NextAsync();
        last.Key.ShouldStartWith("staying/1-");
        last.Answer(SinkStatus.Stored);
        (await staying).Status.ShouldBe(SinkStatus.Stored);
        bundles.Inner.Unread.ShouldBe(0);
    }

    [Fact]
    public async Task Dispose_BundleIsBeingStored_EndsItAndKeepsItsMessages()
    {
        await using BundleFixture bundles = new(maxMessages: 1);
        Task<SinkResult> message = bundles.StoreAsync("a/1.json");
        await bundles.Inner.NextAsync();

        await bundles.Sink.DisposeAsync();

        (await message).Status.ShouldBe(SinkStatus.Transient);
        bundles.Inner.IsDisposed.ShouldBeTrue();
    }

    private sealed class FullLog : ILoggerFactory
    {
        public ILogger CreateLogger(string categoryName) => new RecordingLogger { Throws = true };

        public void AddProvider(ILoggerProvider provider)
        {
        }

        public void Dispose()
        {
        }
    }
}
