using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Planning;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Sources;
using Quayside.Messaging.Telemetry;
using Shared.Hosting;

namespace Messaging.Tests.Planning;

/// <summary>The check at start of a source or sink that never answers.</summary>
public sealed class MessageRouteCheckTests
{
    private static readonly TimeSpan Step = TimeSpan.FromSeconds(5);

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Check_NoAnswers_ContinuesWithAWarningForEach(bool ignoreTheirTokens)
    {
        using RecordingLog log = new();
        ManualTimeProvider time = new();
        await using MessageRoute route = Create(time, log, ignoreTheirTokens);

        Task checking = route.CheckAsync(CancellationToken.None);
        checking.IsCompleted.ShouldBeFalse();
        await time.PassUntilAsync(TimeSpan.FromSeconds(10), () => checking.IsCompleted);
        await checking;

        route.Problem.ShouldBe("The sink mute-sink did not answer its check within 10 s.");
        log.Entries.Where(entry => entry.Id.Id == 1005).Select(entry => entry.Text.Split(' ')[2]).ShouldBe(["mute-sink", "mute-source"]);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Check_StoppedMeanwhile_Ends(bool ignoreTheirTokens)
    {
        using RecordingLog log = new();
        using CancellationTokenSource stop = new();
        await using MessageRoute route = Create(new ManualTimeProvider(), log, ignoreTheirTokens);

        Task checking = route.CheckAsync(stop.Token);
        await stop.CancelAsync();

        await Should.ThrowAsync<OperationCanceledException>(() => checking.WaitAsync(TimeSpan.FromSeconds(30), TestContext.Current.CancellationToken));
        log.Entries.ShouldNotContain(entry => entry.Id.Id == 1005);
    }

    [Fact]
    public async Task Problem_SinkUnreachableAtStart_StaysUntilALaterCheckIsAnswered()
    {
        using RecordingLog log = new();
        ManualTimeProvider time = new();
        UnreachableSink sink = new();
        await using MessageRoute route = Create(time, log, sink, new IdleSource());
        await route.CheckAsync(CancellationToken.None);
        route.Problem.ShouldBe("The store is out of reach.");
        route.GetStatus().Problems.ShouldHaveSingleItem().Event.ShouldBe(1008);
        route.Start();

        // The sink now answers with a refusal: an operator has to act.
        sink.Answer = new StartupException("No such bucket.");
        await time.PassUntilAsync(Step, () => route.Problem == "No such bucket.");
        sink.Answer = null;
        sink.Problem = null;
        await time.PassUntilAsync(Step, () => log.Entries.Any(entry => entry.Id.Id == 1007));

        route.Problem.ShouldBeNull();
        route.IsReceiving.ShouldBeTrue();
        log.Entries.Count(entry => entry.Id.Id == 1008).ShouldBe(1);
        int checks = sink.Checks;
        time.Advance(TimeSpan.FromMinutes(1));
        (await route.DrainAsync(CancellationToken.None)).ShouldBeTrue();
        sink.Checks.ShouldBeInRange(checks, checks + 1, "at most the check after a minute without messages");
    }

    [Fact]
    public async Task Problem_SinkUnreachableAtStart_EndsWhenAMessageIsStored()
    {
        using RecordingLog log = new();
        UnreachableSink sink = new();
        await using MessageRoute route = Create(new ManualTimeProvider(), log, sink, new IdleSource());
        await route.CheckAsync(CancellationToken.None);
        route.Start();
        route.Problem.ShouldNotBeNull();

        sink.Problem = null;
        route.Breaker.Succeeded();

        route.Problem.ShouldBeNull();
        (await route.DrainAsync(CancellationToken.None)).ShouldBeTrue("The repeated check ends with the stop.");
    }

    [Fact]
    public async Task Problems_HaveTheEventTheAdviceAndTheBeginOfEach_FailuresFirst()
    {
        using RecordingLog log = new();
        ManualTimeProvider time = new();
        await using MessageRoute route = Create(time, log, new UnreachableSink(), new IdleSource());
        await route.CheckAsync(CancellationToken.None);
        DateTimeOffset seen = time.GetUtcNow();
        RouteProblem unreachable = route.GetStatus().Problems.ShouldHaveSingleItem();
        (unreachable.Event, unreachable.Severity, unreachable.Text, unreachable.Setting, unreachable.Since).ShouldBe(
            (1008, ProblemSeverity.Failure, "The store is out of reach.", "Sinks:mute-sink", seen));

        time.Advance(TimeSpan.FromMinutes(1));
        route.PauseReceiving(new RoutePause(time.GetUtcNow(), "an operator", "the store is moved"));
        route.Breaker.Refused("no such bucket");
        IReadOnlyList<RouteProblem> problems = route.GetStatus().Problems;

        problems.Select(static problem => problem.Event).ShouldBe([2001, 1008, 1016]);
        problems.Select(static problem => problem.Severity).ShouldBe([ProblemSeverity.Failure, ProblemSeverity.Failure, ProblemSeverity.Warning]);
        problems.Select(problem => problem.Since).ShouldBe([time.GetUtcNow(), seen, time.GetUtcNow()]);
        problems[0].Text.ShouldBe("the sink fails: no such bucket. Receiving is paused, except for probes.");
        problems[2].Text.ShouldBe("paused by an operator: the store is moved.");
        problems.ShouldAllBe(static problem => problem.Advice.Length > 0);
        route.Resume("an operator");
        route.GetStatus().Problems.Select(static problem => problem.Event).ShouldNotContain(1016);
    }

    private static MessageRoute Create(ManualTimeProvider time, RecordingLog log, bool ignoreTheirTokens) =>
        Create(time, log, new MuteSink(ignoreTheirTokens), new MuteSource(ignoreTheirTokens));

    private static MessageRoute Create(ManualTimeProvider time, RecordingLog log, ISink sink, IMessageSource source)
    {
        RoutePlan plan = WorkerHost.Plan(new ConfigurationBuilder().AddCommandLine(["--Routes:archive:Sink=Memory"]).Build()).Routes.Single();
        plan = plan with
        {
            Sink = new SinkPlan { Name = "mute-sink", Create = _ => sink },
            Sources = [new SourcePlan { Name = "mute-source", Create = _ => source }]
        };
        return new MessageRoute(plan, new ServiceCollection().BuildServiceProvider(), new MemoryDeadLetters(), log, time);
    }

    private static Task NeverAsync(bool ignoresItsToken, CancellationToken cancellationToken) =>
        Task.Delay(Timeout.Infinite, ignoresItsToken ? CancellationToken.None : cancellationToken);

    private sealed class MuteSink(bool ignoresItsToken) : IObjectSink
    {
        public Task CheckAsync(CancellationToken cancellationToken) => NeverAsync(ignoresItsToken, cancellationToken);

        public ValueTask<SinkResult> StoreAsync(ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, CancellationToken cancellationToken) =>
            throw new NotSupportedException();

        public string Locate(string key) => key;

        public ValueTask DisposeAsync() => default;
    }

    private sealed class UnreachableSink : IObjectSink
    {
        private int _checks;

        public int Checks => Volatile.Read(ref _checks);

        public string? Problem { get; set; } = "The store is out of reach.";

        public StartupException? Answer { get; set; }

        public Task CheckAsync(CancellationToken cancellationToken)
        {
            Interlocked.Increment(ref _checks);
            return Answer is { } answer ? Task.FromException(answer) : Task.CompletedTask;
        }

        public ValueTask<SinkResult> StoreAsync(ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, CancellationToken cancellationToken) =>
            throw new NotSupportedException();

        public string Locate(string key) => key;

        public ValueTask DisposeAsync() => default;
    }

    private sealed class IdleSource : IMessageSource
    {
        public Task CheckAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public async Task ReceiveAsync(IMessageIntake intake, CancellationToken stopReceiving)
        {
            using SlotLease slots = await intake.ReserveAsync(1, 1, stopReceiving);
            await Task.Delay(Timeout.Infinite, stopReceiving).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }

        public Task CloseAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public ValueTask DisposeAsync() => default;
    }

    private sealed class MuteSource(bool ignoresItsToken) : IMessageSource
    {
        public Task CheckAsync(CancellationToken cancellationToken) => NeverAsync(ignoresItsToken, cancellationToken);

        public Task ReceiveAsync(IMessageIntake intake, CancellationToken stopReceiving) => throw new NotSupportedException();

        public Task CloseAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public ValueTask DisposeAsync() => default;
    }
}
