using Messaging.Routes;
using Messaging.Sinks;
using Messaging.Sources;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Shared.Hosting;

namespace Worker.Tests.Routes;

/// <summary>Sources and sinks that throw where they should not: the route goes on, and the other parts are drained, closed and disposed.</summary>
public sealed class MessageRouteForeignCodeTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    [Fact]
    public async Task Drain_ASourceAndTheSinkThrow_TheOtherSourceIsDrainedAndAllAreClosed()
    {
        using RecordingLog log = new();
        BrokenSource broken = new() { Fails = true };
        BrokenSource sound = new();
        await using MessageRoute route = Create(new ManualTimeProvider(), log, new BrokenSink(), broken, sound);
        await route.CheckAsync(CancellationToken.None);
        route.Start();
        await sound.Receiving.WaitAsync(Patience, TestContext.Current.CancellationToken);

        (await route.DrainAsync(CancellationToken.None).WaitAsync(Patience, TestContext.Current.CancellationToken)).ShouldBeTrue();

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

        (await route.DrainAsync(CancellationToken.None).WaitAsync(Patience, TestContext.Current.CancellationToken)).ShouldBeTrue();

        log.Entries.ShouldNotContain(entry => entry.Id.Id == 1002);
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
        sink.IsDisposed.ShouldBeTrue();
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
        await disposing.WaitAsync(Patience, TestContext.Current.CancellationToken);

        sound.Calls.ShouldContain("dispose");
        log.Entries.Count(entry => entry.Id.Id == 1009).ShouldBe(2, "the source and the sink");
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
        log.Entries.Count(entry => entry.Id.Id == 1003).ShouldBe(2);
        await route.DrainAsync(CancellationToken.None).WaitAsync(Patience, TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Status_ASourceCannotSayItsProblem_ThatIsItsProblem()
    {
        using RecordingLog log = new();
        await using MessageRoute route = Create(new ManualTimeProvider(), log, new BrokenSink(), new BrokenSource { Fails = true });

        route.GetStatus().Problem.ShouldNotBeNull().ShouldContain(nameof(BrokenSource));
    }

    private static MessageRoute Create(ManualTimeProvider time, RecordingLog log, IObjectSink sink, params IMessageSource[] sources)
    {
        RoutePlan plan = WorkerHost.Plan(new ConfigurationBuilder().AddCommandLine(["--Routes:archive:Sink=Memory"]).Build()).Routes.Single();
        plan = plan with
        {
            Sources = [.. sources.Select((source, i) => new SourcePlan { Name = $"source-{i}", Create = _ => source })],
            Sink = new SinkPlan { Create = _ => sink },
        };
        return new MessageRoute(plan, new ServiceCollection().BuildServiceProvider(), new MemoryDeadLetters(), log, time);
    }

    private sealed class BrokenSource : IMessageSource
    {
        private readonly TaskCompletionSource _receiving = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly List<string> _calls = [];

        /// <summary>Throws in each call but the check, the receive and the close.</summary>
        public bool Fails { get; init; }

        public Exception Failure { get; init; } = new InvalidOperationException("broken");

        /// <summary>Ends its receiving at once.</summary>
        public bool Returns { get; init; }

        /// <summary>Its disposal never ends.</summary>
        public bool Hangs { get; init; }

        public string Name => "broken";

        public string? Problem => Fails ? throw Failure : null;

        public Task Receiving => _receiving.Task;

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
        }
    }

    private sealed class BrokenSink : IObjectSink
    {
        public bool IsDisposed { get; private set; }

        public string Name => "broken-sink";

        public Task CheckAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public ValueTask<SinkResult> StoreAsync(ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, CancellationToken cancellationToken) => new(SinkResult.Stored);

        public void StopWaiting() => throw new InvalidOperationException("broken");

        public string Locate(string key) => key;

        public ValueTask DisposeAsync()
        {
            IsDisposed = true;
            throw new InvalidOperationException("broken");
        }
    }
}
