using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Planning;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Sources;
using Shared.Hosting;

namespace Messaging.Tests.Planning;

/// <summary>
/// Sources, sinks and handlers that throw, hang or block where they should not: the route goes on, and the other parts are drained, closed and disposed.
/// </summary>
public sealed class MessageRouteForeignCodeTests
{
    private static readonly TimeSpan WaitLimit = TimeSpan.FromSeconds(30);

    [Fact]
    public async Task Drain_ASourceAndTheSinkThrow_TheOtherSourceIsDrainedAndAllAreClosed()
    {
        using RecordingLog log = new();
        BrokenSource broken = new() { Fails = true };
        BrokenSource sound = new();
        await using MessageRoute route = Create(new ManualTimeProvider(), log, new BrokenSink(), broken, sound);
        await route.CheckAsync(CancellationToken.None);
        route.Start();
        await sound.Receiving.WaitAsync(WaitLimit, TestContext.Current.CancellationToken);

        (await route.DrainAsync(CancellationToken.None).WaitAsync(WaitLimit, TestContext.Current.CancellationToken)).ShouldBeTrue();

        sound.Calls.ShouldContain("drain");
        sound.Calls.ShouldContain("close");
        broken.Calls.ShouldContain("close");
        log.Entries.ShouldContain(entry => entry.Id.Id == 1011);
        log.Entries.ShouldContain(entry => entry.Id.Id == 1012);
    }

    [Fact]
    public async Task Drain_ASourceIsCancelledByItself_IsNotTakenForTheLimit()
    {
        using RecordingLog log = new();
        BrokenSource cancelled = new() { Fails = true, Failure = new TaskCanceledException("its own timeout") };
        await using MessageRoute route = Create(new ManualTimeProvider(), log, new BrokenSink(), cancelled);

        (await route.DrainAsync(CancellationToken.None).WaitAsync(WaitLimit, TestContext.Current.CancellationToken)).ShouldBeTrue();

        log.Entries.ShouldNotContain(entry => entry.Id.Id == 1002);
    }

    [Fact]
    public async Task Drain_ASourceBlocksItsThreadInTheDrain_EndsAtTheLimitAndAllAreClosed()
    {
        using RecordingLog log = new();
        using CancellationTokenSource limit = new();
        BrokenSource blocking = new() { Blocks = "drain" };
        BrokenSource sound = new();
        await using MessageRoute route = Create(new ManualTimeProvider(), log, new BrokenSink(), blocking, sound);
        try
        {
            Task<bool> draining = Task.Run(() => route.DrainAsync(limit.Token), TestContext.Current.CancellationToken);
            await limit.CancelAsync();

            (await draining.WaitAsync(WaitLimit, TestContext.Current.CancellationToken)).ShouldBeFalse();
        }
        finally
        {
            blocking.Released.Set();
        }

        blocking.Calls.ShouldContain("close");
        sound.Calls.ShouldContain("close");
    }

    [Fact]
    public async Task Drain_ASourceBlocksItsThreadInTheClose_TheOtherIsClosedInTimeAndTheDrainEnds()
    {
        using RecordingLog log = new();
        ManualTimeProvider time = new();
        BrokenSource blocking = new() { Blocks = "close" };
        BrokenSource sound = new();
        await using MessageRoute route = Create(time, log, new BrokenSink(), blocking, sound);
        try
        {
            Task<bool> draining = Task.Run(() => route.DrainAsync(CancellationToken.None), TestContext.Current.CancellationToken);
            (await sound.ClosedLate.WaitAsync(WaitLimit, TestContext.Current.CancellationToken)).ShouldBeFalse("Its time has not ended.");
            time.Advance(TimeSpan.FromSeconds(10));

            (await draining.WaitAsync(WaitLimit, TestContext.Current.CancellationToken)).ShouldBeFalse();
        }
        finally
        {
            blocking.Released.Set();
        }

        log.Entries.ShouldContain(entry => entry.Id.Id == 1004);
    }

    [Fact]
    public async Task Dispose_ASourceThrows_TheOthersAreDisposed()
    {
        using RecordingLog log = new();
        BrokenSource broken = new() { Fails = true };
        BrokenSource sound = new();
        BrokenSink sink = new();
        MessageRoute route = Create(new ManualTimeProvider(), log, sink, broken, sound);

        await route.DisposeAsync();

        sound.Calls.ShouldContain("dispose");
        sink.Disposed.IsCompleted.ShouldBeTrue();
        log.Entries.Count(entry => entry.Id.Id == 1009).ShouldBe(2, "the source and the sink");
    }

    [Fact]
    public async Task Dispose_ASourceHangs_TheOthersAreDisposedAndItEnds()
    {
        using RecordingLog log = new();
        ManualTimeProvider time = new();
        BrokenSource hanging = new() { Hangs = true };
        BrokenSource sound = new();
        MessageRoute route = Create(time, log, new BrokenSink(), hanging, sound);
        int timers = time.ArmedTimers;

        Task disposing = route.DisposeAsync().AsTask();
        await time.WaitForTimersAsync(timers + 1);
        time.Advance(TimeSpan.FromSeconds(8));
        await disposing.WaitAsync(WaitLimit, TestContext.Current.CancellationToken);

        sound.Calls.ShouldContain("dispose");
        log.Entries.Count(entry => entry.Id.Id == 1009).ShouldBe(2, "the source and the sink");
    }

    [Fact]
    public async Task Dispose_APartBlocksItsThread_TheOthersAreDisposedAndItEnds()
    {
        using RecordingLog log = new();
        ManualTimeProvider time = new();
        BlockingPart part = new();
        BrokenSink sink = new();
        MessageRoute route = Create(time, log, sink, services => services.Owned.Add(part), new BrokenSource());
        try
        {
            Task disposing = Task.Run(() => route.DisposeAsync().AsTask(), TestContext.Current.CancellationToken);
            await part.Blocking.WaitAsync(WaitLimit, TestContext.Current.CancellationToken);
            await time.PassUntilAsync(TimeSpan.FromSeconds(8), () => disposing.IsCompleted);
            await disposing;
        }
        finally
        {
            part.Released.Set();
        }

        await sink.Disposed.WaitAsync(WaitLimit, TestContext.Current.CancellationToken);
        log.Entries.Count(entry => entry.Id.Id == 1009).ShouldBe(2, "the part and the sink");
    }

    [Fact]
    public async Task HandlerReports_OneThrows_TheOthersAreReturned()
    {
        using RecordingLog log = new();
        await using MessageRoute route = Create(
            new ManualTimeProvider(),
            log,
            new BrokenSink(),
            services =>
            {
                services.Reports.Add(() => throw new InvalidOperationException("broken"));
                services.Reports.Add(() => "sound");
            },
            new BrokenSource());

        string[] reports = [.. route.HandlerReports()];

        reports.ShouldBe(["sound"]);
        log.Entries.ShouldContain(entry => entry.Id.Id == 1012);
    }

    [Fact]
    public async Task Receive_ReturnsBeforeTheStop_IsLoggedAndStartedAgainAfterAPause()
    {
        using RecordingLog log = new();
        ManualTimeProvider time = new();
        BrokenSource source = new() { Returns = true };
        await using MessageRoute route = Create(time, log, new BrokenSink(), source);
        int timers = time.ArmedTimers;
        route.Start();
        await time.WaitForTimersAsync(timers + 1);
        source.Calls.Count(call => call == "receive").ShouldBe(1);

        time.Advance(TimeSpan.FromSeconds(5));
        await time.WaitForTimersAsync(timers + 1);

        source.Calls.Count(call => call == "receive").ShouldBe(2);
        log.Entries.Count(entry => entry.Id.Id == 1003).ShouldBe(1, "once per minute");
        await route.DrainAsync(CancellationToken.None).WaitAsync(WaitLimit, TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Status_ASourceCannotSayItsProblem_ThatIsItsProblem()
    {
        using RecordingLog log = new();
        await using MessageRoute route = Create(new ManualTimeProvider(), log, new BrokenSink(), new BrokenSource { Fails = true });

        RouteStatus status = route.GetStatus();
        status.Problem.ShouldNotBeNull().ShouldContain(nameof(BrokenSource));
        status.Problems.ShouldHaveSingleItem().Event.ShouldBe(1003);
    }

    [Fact]
    public async Task Status_TheSinkCannotSayWhereItStores_ShowsItsType()
    {
        using RecordingLog log = new();
        await using MessageRoute route = Create(new ManualTimeProvider(), log, new BrokenSink(), new BrokenSource());

        route.GetStatus().Results.ShouldBe(nameof(BrokenSink));
    }

    [Fact]
    public async Task Metrics_ASourceCannotSayItsProblem_CountsAsFailing()
    {
        using RecordingLog log = new();
        await using MessageRoute route = Create(new ManualTimeProvider(), log, new BrokenSink(), new BrokenSource { Fails = true });
        ConcurrentQueue<double> failing = [];
        using MeterListener listener = new()
        {
            InstrumentPublished = static (instrument, self) =>
            {
                if (instrument.Name == "worker.source.failing")
                {
                    self.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<double>((_, value, tags, _) =>
        {
            // The routes of other tests are collected, too.
            if (tags.ToArray().Contains(new KeyValuePair<string, object?>("worker.source", "broken-source")))
            {
                failing.Enqueue(value);
            }
        });
        listener.Start();

        listener.RecordObservableInstruments();

        failing.ShouldHaveSingleItem().ShouldBe(1);
    }

    private static MessageRoute Create(ManualTimeProvider time, RecordingLog log, IObjectSink sink, params IMessageSource[] sources) =>
        Create(time, log, sink, static _ => { }, sources);

    private static MessageRoute Create(
        ManualTimeProvider time, RecordingLog log, IObjectSink sink, Action<HandlerServices> compose, params IMessageSource[] sources)
    {
        RoutePlan plan = WorkerHost.Plan(new ConfigurationBuilder().AddCommandLine(["--Routes:archive:Sink=Memory"]).Build()).Routes.Single();
        HandlerPlan handler = plan.Handler;
        plan = plan with
        {
            Sources =
                [.. sources.Select((source, i) => new SourcePlan { Name = source is BrokenSource ? "broken-source" : $"source-{i}", Create = _ => source })],
            Handler = handler with
            {
                Compose = (builder, services) =>
                {
                    handler.Compose(builder, services);
                    compose(services);
                },
            },
            Sink = new SinkPlan { Create = _ => sink },
        };
        return new MessageRoute(plan, new ServiceCollection().BuildServiceProvider(), new MemoryDeadLetters(), log, time);
    }

    private sealed class BlockingPart : IDisposable
    {
        private readonly TaskCompletionSource _blocking = new(TaskCreationOptions.RunContinuationsAsynchronously);

        /// <summary>Completes when its disposal has begun.</summary>
        public Task Blocking => _blocking.Task;

        /// <summary>Ends its disposal.</summary>
        public ManualResetEventSlim Released { get; } = new();

        public void Dispose()
        {
            _blocking.SetResult();
            Released.Wait(TimeSpan.FromSeconds(30));
        }
    }

    private sealed class BrokenSource : IMessageSource
    {
        private readonly TaskCompletionSource _receiving = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly TaskCompletionSource<bool> _closedLate = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly List<string> _calls = [];

        /// <summary>Throws in each call but the check, the receive and the close.</summary>
        public bool Fails { get; init; }

        public Exception Failure { get; init; } = new InvalidOperationException("broken");

        /// <summary>Ends its receiving immediately.</summary>
        public bool Returns { get; init; }

        /// <summary>Its disposal never ends.</summary>
        public bool Hangs { get; init; }

        /// <summary>The call that blocks its thread until <see cref="Released"/> is set; null for none.</summary>
        public string? Blocks { get; init; }

        public ManualResetEventSlim Released { get; } = new();

        public string? Problem => Fails ? throw Failure : null;

        public Task Receiving => _receiving.Task;

        /// <summary>Completes at its close: true when the time for it had ended.</summary>
        public Task<bool> ClosedLate => _closedLate.Task;

        public IReadOnlyList<string> Calls
        {
            get
            {
                lock (_calls)
                {
                    return [.. _calls];
                }
            }
        }

        public Task CheckAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public async Task ReceiveAsync(IMessageIntake intake, CancellationToken stopReceiving)
        {
            Called("receive");
            _receiving.TrySetResult();
            if (!Returns)
            {
                await Task.Delay(Timeout.Infinite, stopReceiving).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        }

        public Task DrainAsync(IMessageIntake intake, CancellationToken stopDraining)
        {
            Called("drain");
            return Fails ? throw Failure : Task.CompletedTask;
        }

        public Task CloseAsync(CancellationToken cancellationToken)
        {
            Called("close");
            _closedLate.TrySetResult(cancellationToken.IsCancellationRequested);
            return Task.CompletedTask;
        }

        public ValueTask DisposeAsync()
        {
            Called("dispose");
            return Fails ? throw Failure : new ValueTask(Hangs ? new TaskCompletionSource().Task : Task.CompletedTask);
        }

        private void Called(string call)
        {
            lock (_calls)
            {
                _calls.Add(call);
            }

            if (call == Blocks)
            {
                Released.Wait(TimeSpan.FromSeconds(30));
            }
        }
    }

    private sealed class BrokenSink : IObjectSink
    {
        private readonly TaskCompletionSource _disposed = new(TaskCreationOptions.RunContinuationsAsynchronously);

        /// <summary>Completes when its disposal has begun.</summary>
        public Task Disposed => _disposed.Task;

        public Task CheckAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public ValueTask<SinkResult> StoreAsync(ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, CancellationToken cancellationToken) =>
            new(SinkResult.Stored);

        public void StopWaiting() => throw new InvalidOperationException("broken");

        public string Locate(string key) => throw new InvalidOperationException("broken");

        public ValueTask DisposeAsync()
        {
            _disposed.TrySetResult();
            throw new InvalidOperationException("broken");
        }
    }
}
