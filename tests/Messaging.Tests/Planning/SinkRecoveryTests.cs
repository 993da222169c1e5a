using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Planning;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Sources;
using Shared.Hosting;

namespace Messaging.Tests.Planning;

/// <summary>While the breaker is open and no message arrives, the worker's own checks decide whether the route is ready.</summary>
[Collection(OneThreadCollection.Name)]
public sealed class SinkRecoveryTests : IDisposable
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan WaitLimit = TimeSpan.FromSeconds(30);

    private readonly RecordingLog _log = new();
    private readonly ManualTimeProvider _time = new();
    private readonly ScriptedSink _sink = new();

    public void Dispose() => _log.Dispose();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Readiness_OutageWithoutMessages_Is503UntilTheSinkAnswersItsCheck(bool refuses)
    {
        await using MessageRoute route = await StartAsync();
        Break(_sink, refuses);
        route.Breaker.Refused("The folder is full.");

        // An hour without a caller.
        for (int i = 0; i < 3_600; i++)
        {
            RouteStatus status = route.GetStatus();
            status.IsReady.ShouldBeFalse($"after {i} s");
            status.IsReceiving.ShouldBeFalse();
            await _time.PassAsync(Second);
        }

        int checks = _sink.Checks;
        checks.ShouldBeInRange(2, 3_600 / 20, "with a backoff");
        Mend(_sink);
        await _time.PassUntilAsync(Second, () => route.GetStatus().IsReady);

        RouteStatus ready = route.GetStatus();
        ready.NextMessageDecides.ShouldBeTrue();
        ready.Breaker.ShouldBe(BreakerState.HalfOpen, "a check alone does not close it");
        _log.Entries.ShouldContain(entry => entry.Id.Id == 1013);
        route.Breaker.Succeeded();
        route.GetStatus().Breaker.ShouldBe(BreakerState.Closed);
        await route.DrainAsync(CancellationToken.None).WaitAsync(WaitLimit, TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Check_ThrowsAtStart_TheWorkerStartsAndIsNotReadyUntilTheCheckPasses()
    {
        using RecordingLog log = new();
        ManualTimeProvider time = new();
        ScriptedSink sink = new() { Hang = Task.FromException(new HttpRequestException("connection refused to my store")) };
        await using MessageRoute route = Create(time, log, sink);

        await route.CheckAsync(CancellationToken.None);
        route.Start();

        route.GetStatus().IsReady.ShouldBeFalse();
        LogEntry line = log.Entries.Single(entry => entry.Id.Id == 1008);
        line.Text.ShouldContain("The check of the sink scripted threw System.Net.Http.HttpRequestException: connection refused to my store.");
        sink.Hang = Task.CompletedTask;
        await time.PassUntilAsync(Second, () => route.GetStatus().IsReady);
        await route.DrainAsync(CancellationToken.None).WaitAsync(WaitLimit, TestContext.Current.CancellationToken);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Readiness_OneMessageFailsAndNoMoreCome_TheCheckDecides(bool isOutage)
    {
        await using MessageRoute route = await StartAsync();
        if (isOutage)
        {
            Break(_sink, refuses: false);
        }

        int checks = _sink.Checks;
        route.Breaker.Failed("No space left on device.");
        await _time.PassUntilAsync(Second, () => _sink.Checks > checks);

        if (isOutage)
        {
            await _time.PassUntilAsync(Second, () => !route.GetStatus().IsReady);
            Mend(_sink);
            await _time.PassUntilAsync(Second, () => route.GetStatus().IsReady);
        }

        route.GetStatus().Breaker.ShouldBe(isOutage ? BreakerState.HalfOpen : BreakerState.Closed);
        await route.DrainAsync(CancellationToken.None).WaitAsync(WaitLimit, TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Readiness_StoreOfAnIdleRouteIsGone_Is503AfterAboutAMinute()
    {
        await using MessageRoute route = await StartAsync();
        Break(_sink, refuses: false);

        int seconds = 0;
        await _time.PassUntilAsync(Second, () => Interlocked.Increment(ref seconds) > 600 || !route.GetStatus().IsReady);

        seconds.ShouldBeInRange(60, 75);
        Mend(_sink);
        await _time.PassUntilAsync(Second, () => route.GetStatus().IsReady);
        await route.DrainAsync(CancellationToken.None).WaitAsync(WaitLimit, TestContext.Current.CancellationToken);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Check_OfASinkThatWorks_IsOncePerMinuteAndOnlyWithoutMessages(bool isBusy)
    {
        await using MessageRoute route = await StartAsync();
        int checks = _sink.Checks;

        for (int i = 0; i < 600; i++)
        {
            if (isBusy && i % 30 == 0)
            {
                route.Breaker.Succeeded();
            }

            await _time.PassAsync(Second);
        }

        (_sink.Checks - checks).ShouldBeInRange(isBusy ? 0 : 7, isBusy ? 0 : 10);
        _sink.MaxConcurrent.ShouldBe(1);
        route.GetStatus().IsReady.ShouldBeTrue();
        await route.DrainAsync(CancellationToken.None).WaitAsync(WaitLimit, TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Readiness_SinkBreaksAfterACheckThatPassed_TheNextFailureIsChecked()
    {
        await using MessageRoute route = await StartAsync();
        int checks = _sink.Checks;
        route.Breaker.Failed("throttled");
        await _time.PassUntilAsync(Second, () => _sink.Checks > checks);
        route.GetStatus().IsReady.ShouldBeTrue();

        Break(_sink, refuses: false);
        route.Breaker.Failed("No space left on device.");

        await _time.PassUntilAsync(Second, () => !route.GetStatus().IsReady);
        await route.DrainAsync(CancellationToken.None).WaitAsync(WaitLimit, TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Check_SinkCanNeverWork_EndsTheStart()
    {
        using RecordingLog log = new();
        await using MessageRoute route =
            Create(new ManualTimeProvider(), log, new ScriptedSink { Refusal = new StartupException("no such table", ExitCodes.Unavailable) });

        (await Should.ThrowAsync<StartupException>(() => StartAsync(route))).Message.ShouldBe("no such table");
    }

    [Fact]
    public async Task Readiness_CheckThatShowsNothing_IsDisprovedLessAndLessOften()
    {
        await using MessageRoute route = await StartAsync();
        int before = _sink.Checks;
        route.Breaker.Refused("down");

        // Whenever the route is ready, a caller's message fails.
        int ready = 0;
        for (int i = 0; i < 3_600; i++)
        {
            if (route.GetStatus().IsReady)
            {
                ready++;
                route.Breaker.Failed("still down");
            }

            await _time.PassAsync(Second);
        }

        ready.ShouldBeInRange(5, 30);
        (_sink.Checks - before).ShouldBeLessThanOrEqualTo(ready + 1);
        await route.DrainAsync(CancellationToken.None).WaitAsync(WaitLimit, TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Readiness_ChecksThatNeverEnd_AreFewAndEndWithTheOutage()
    {
        await using MessageRoute route = await StartAsync();
        TaskCompletionSource hang = new(TaskCreationOptions.RunContinuationsAsynchronously);
        _sink.Hang = hang.Task;
        int checks = _sink.Checks;
        route.Breaker.Refused("It does not answer.");

        await _time.PassUntilAsync(Second, () => _sink.Checks == checks + 8);
        for (int i = 0; i < 3_600; i++)
        {
            await _time.PassAsync(Second);
        }

        _sink.Checks.ShouldBe(checks + 8, "each keeps a thread or a connection");
        route.GetStatus().IsReady.ShouldBeFalse();
        _sink.Hang = Task.CompletedTask;
        hang.SetResult();
        await _time.PassUntilAsync(Second, () => route.GetStatus().IsReady);
        await route.DrainAsync(CancellationToken.None).WaitAsync(WaitLimit, TestContext.Current.CancellationToken);
    }

    private static void Break(ScriptedSink sink, bool refuses)
    {
        sink.Outage = refuses ? null : "The folder cannot be written: no space left.";
        sink.Refusal = refuses ? new StartupException("No such bucket.") : null;
    }

    private static void Mend(ScriptedSink sink) => (sink.Outage, sink.Refusal) = (null, null);

    private async Task<MessageRoute> StartAsync()
    {
        MessageRoute route = Create(_time, _log, _sink);
        await StartAsync(route);
        return route;
    }

    private static async Task StartAsync(MessageRoute route)
    {
        await route.CheckAsync(CancellationToken.None);
        route.Start();
        route.Breaker.Succeeded();
        route.GetStatus().IsReady.ShouldBeTrue();
    }

    [Fact]
    public async Task Problem_OfASinkThatStores_IsShownAsLongAsTheSinkReturnsIt()
    {
        ScriptedSink sink = new();
        await using MessageRoute route = Create(new ManualTimeProvider(), new RecordingLog(), sink);
        await route.CheckAsync(CancellationToken.None);
        route.Start();
        route.Breaker.Succeeded();
        route.GetStatus().IsReady.ShouldBeTrue();

        sink.Problem = "The certificate ends tomorrow.";
        route.Breaker.Succeeded();
        (route.GetStatus().Problem, route.GetStatus().IsReady).ShouldBe(("The certificate ends tomorrow.", false));

        sink.Problem = null;
        route.GetStatus().IsReady.ShouldBeTrue();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Problem_MessagesAreStored_EndsWithTheNextCheck(bool opensBreaker)
    {
        await using MessageRoute route = await StartAsync();
        Break(_sink, refuses: false);
        if (opensBreaker)
        {
            route.Breaker.Failed("No space left on device.");
            await _time.PassUntilAsync(Second, () => route.GetStatus().Breaker == BreakerState.Open);
            await _time.PassUntilAsync(Second, () => route.Breaker.UpdateState() == BreakerState.HalfOpen);
        }

        _sink.Problem = _sink.Outage;
        route.Breaker.Succeeded();
        (route.GetStatus().Breaker, route.GetStatus().IsReady).ShouldBe((BreakerState.Closed, false));

        Mend(_sink);
        await _time.PassUntilAsync(Second, () =>
        {
            route.Breaker.Succeeded();
            return route.GetStatus().IsReady;
        });
        _log.Entries.ShouldContain(entry => entry.Id.Id == 1007);
        await route.DrainAsync(CancellationToken.None).WaitAsync(WaitLimit, TestContext.Current.CancellationToken);
    }

    private static MessageRoute Create(ManualTimeProvider time, RecordingLog log, ISink sink)
    {
        RoutePlan plan = WorkerHost.Plan(new ConfigurationBuilder().AddCommandLine(["--Routes:archive:Sink=Memory"]).Build()).Routes.Single();
        plan = plan with
        {
            Sink = new SinkPlan { Name = "scripted", Create = _ => sink },
            Sources = [new SourcePlan { Name = "callers", IsPushed = true, Create = _ => new Callers() }]
        };
        return new MessageRoute(plan, new ServiceCollection().BuildServiceProvider(), new MemoryDeadLetters(), log, time);
    }

    private sealed class ScriptedSink : IObjectSink
    {
        private int _checks;
        private int _running;
        private int _max;

        public string? Problem { get; set; }

        /// <summary>The problem from the next check on.</summary>
        public string? Outage { get; set; }

        public StartupException? Refusal { get; set; }

        public Task Hang { get; set; } = Task.CompletedTask;

        public int Checks => Volatile.Read(ref _checks);

        public int MaxConcurrent => Volatile.Read(ref _max);

        public async Task CheckAsync(CancellationToken cancellationToken)
        {
            Interlocked.Increment(ref _checks);
            Volatile.Write(ref _max, Math.Max(Interlocked.Increment(ref _running), _max));
            await Task.Yield();
            await Hang;
            Interlocked.Decrement(ref _running);
            Problem = Outage;
            if (Refusal is { } refusal)
            {
                throw refusal;
            }
        }

        public ValueTask<SinkResult> StoreAsync(ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, CancellationToken cancellationToken) =>
            throw new NotSupportedException();

        public string Locate(string key) => key;

        public ValueTask DisposeAsync() => default;
    }

    private sealed class Callers : IMessageSource
    {
        public Task CheckAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public Task ReceiveAsync(IMessageIntake intake, CancellationToken stopReceiving) => Task.Delay(Timeout.Infinite, stopReceiving);

        public Task CloseAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public ValueTask DisposeAsync() => default;
    }
}
