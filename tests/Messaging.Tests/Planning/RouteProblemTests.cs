using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Planning;
using Quayside.Messaging.Sources;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Settlements;
using Shared.Hosting;

namespace Messaging.Tests.Planning;

/// <summary>The problems of a route: each with its own event, begin, advice and setting.</summary>
public sealed class RouteProblemTests : IDisposable
{
    private readonly ManualTimeProvider _time = new();
    private readonly RecordingLog _log = new();
    private readonly FullDisk _disk = new();
    private readonly PlantedSource _source = new();
    private IDeadLetterStore? _given;

    public void Dispose() => _log.Dispose();

    [Fact]
    public async Task SourceWithAProblemAndAWarning_HasBoth_EachSinceItsOwnBegin()
    {
        await using MessageRoute route = Create();
        DateTimeOffset warned = _time.GetUtcNow();
        _source.Warning = "It is slow.";
        route.GetStatus().Problems.ShouldHaveSingleItem().Severity.ShouldBe(ProblemSeverity.Warning);

        _time.Advance(TimeSpan.FromMinutes(1));
        _source.Problem = "It was refused.";

        route.GetStatus().Problems.Select(static problem => (problem.Event, problem.Setting, problem.Text, problem.Since)).ShouldBe(
        [
            (1003, "Sources:planted", "It was refused.", _time.GetUtcNow()),
            (1003, "Sources:planted", "It is slow.", warned),
        ]);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task DeadLettersInAQueueThatCannotBeCounted_AreAWarning(bool keeps)
    {
        await using MessageRoute route = Create(keeps);
        route.GetStatus().Problems.ShouldBeEmpty();

        route.Metrics.MessageSettled(Settlement.DeadLetter("old", "Of last year."), TimeSpan.Zero);

        RouteProblem[] problems = [.. route.GetStatus().Problems];
        problems.Select(static problem => (problem.Event, problem.Severity)).ShouldBe(keeps ? [] : [(5001, ProblemSeverity.Warning)]);
        if (!keeps)
        {
            problems[0].Text.ShouldStartWith("1 message(s) were dead-lettered since the start, the last at ");
        }
    }

    [Fact]
    public async Task DroppedInput_HasTheEventAndTheSourceThatDroppedMost()
    {
        await using MessageRoute route = Create();
        route.Metrics.InputDropped(3454, "TcpLines", "too-long", "Raise it.", isLost: true);
        route.Metrics.InputDropped(3403, "Udp", "kernel-buffer", "Make the sink faster.", isLost: true, count: 3);

        RouteProblem dropped = route.GetStatus().Problems.ShouldHaveSingleItem();

        (dropped.Event, dropped.Setting, dropped.Advice).ShouldBe((3403, "Sources:Udp", "Make the sink faster."));
        dropped.Text.ShouldContain("3 kernel-buffer, 1 too-long");
    }

    [Fact]
    public async Task DiskOfDeadLetters_FillsAfterTheStart_IsLoggedWhenItBegins()
    {
        await using MessageRoute route = Create(keeps: true);
        await WriteAsync();
        _log.Entries.ShouldNotContain(static entry => entry.Id.Id == 1006);

        for (int outage = 1; outage <= 2; outage++)
        {
            _disk.IsFull = true;
            await Should.ThrowAsync<IOException>(WriteAsync);
            await Should.ThrowAsync<IOException>(WriteAsync);
            _log.Entries.Count(static entry => entry.Id.Id == 1006).ShouldBe(outage);
            route.GetStatus().Problems.ShouldHaveSingleItem().Event.ShouldBe(1006);

            _disk.IsFull = false;
            await WriteAsync();
            _time.Advance(TimeSpan.FromHours(1));
        }
    }

    [Fact]
    public async Task EveryProblem_HasAdviceAndASetting()
    {
        await using MessageRoute route = Create(keeps: true);
        _source.Problem = "It was refused.";
        _source.Warning = "It is slow.";
        _disk.IsFull = true;
        await Should.ThrowAsync<IOException>(WriteAsync);
        route.Breaker.Refused("no such bucket");
        route.Metrics.MessagesLost(1);
        route.Metrics.InputDropped(3402, "Udp", "checksum", "Compare it.", isLost: true);

        IReadOnlyList<RouteProblem> problems = route.GetStatus().Problems;

        problems.Select(static problem => problem.Event).ShouldBe([2001, 1003, 1006, 3002, 3402, 1003]);
        problems.ShouldAllBe(static problem => problem.Advice.Length > 0 && problem.Setting != null && problem.Since != null);
    }

    private async Task WriteAsync() => await _given!.WriteAsync(
        new DeadLetter
        {
            Source = "planted",
            SourceId = "id",
            Route = "archive",
            Reason = "old",
            Description = "Of last year.",
            Attempts = 1,
            FirstSeen = _time.GetUtcNow(),
            LastSeen = _time.GetUtcNow(),
        },
        new byte[1], CancellationToken.None);

    private MessageRoute Create(bool keeps = false)
    {
        RoutePlan plan = WorkerHost.Plan(new ConfigurationBuilder().AddCommandLine(["--Routes:archive:Sink=Memory"]).Build()).Routes.Single();
        plan = plan with { Sources = [new SourcePlan { Name = "planted", KeepsDeadLetters = keeps, Create = Open }] };
        return new MessageRoute(plan, new ServiceCollection().BuildServiceProvider(), _disk, _log, _time);

        PlantedSource Open(SourceServices services)
        {
            _given = services.DeadLetters;
            return _source;
        }
    }

    private sealed class FullDisk : IDeadLetterStore
    {
        public bool IsFull { get; set; }

        public string? Problem { get; private set; }

        public ValueTask<string> WriteAsync(DeadLetter letter, ReadOnlyMemory<byte> body, CancellationToken cancellationToken)
        {
            Problem = IsFull ? "Dead letters cannot be written." : null;
            return IsFull ? throw new IOException("No space left on device") : new("stored");
        }
    }

    private sealed class PlantedSource : IMessageSource
    {
        public string? Problem { get; set; }

        public string? Warning { get; set; }

        public Task CheckAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public Task ReceiveAsync(IMessageIntake intake, CancellationToken stopReceiving) => Task.Delay(Timeout.Infinite, stopReceiving);

        public Task CloseAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public ValueTask DisposeAsync() => default;
    }
}
