using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Planning;
using Quayside.Messaging.Sources;
using Shared.Hosting;

namespace Messaging.Tests.Planning;

/// <summary>A route counts what waits in the dead-letter queues of its sources, and says why when it cannot.</summary>
public sealed class DeadLetterQueueCountTests
{
    private static readonly TimeSpan Step = TimeSpan.FromSeconds(10);

    private readonly ManualTimeProvider _time = new();
    private readonly RecordingLog _log = new();

    [Fact]
    public async Task Count_SeveralSources_IsTheirSumAndFollowsThem()
    {
        CountedSource first = new() { Count = 3 };
        CountedSource second = new() { Count = 4 };
        await using MessageRoute route = Start(first, second, new CountedSource());

        await UntilAsync(route, 7);
        first.Count = 0;
        await UntilAsync(route, 4);
    }

    /// <summary>As after a run over the queue: the clock stands still.</summary>
    [Fact]
    public async Task Count_AskedFor_IsMadeBeforeItsTime()
    {
        CountedSource source = new() { Count = 3 };
        await using MessageRoute route = Start(source);
        await UntilAsync(route, 3);
        source.Count = 0;

        await _time.PassUntilAsync(
            TimeSpan.Zero,
            () =>
            {
                route.CountDeadLettersNow();
                return route.GetStatus().InDeadLetterQueue == 0;
            });
    }

    [Fact]
    public async Task Count_NoSourceCanCount_IsUnknown()
    {
        CountedSource source = new();
        await using MessageRoute route = Start(source);

        await source.Counted(3, _time);

        route.GetStatus().InDeadLetterQueue.ShouldBeNull();
        _log.Entries.ShouldNotContain(entry => entry.Id.Id == 5104);
    }

    [Fact]
    public async Task Count_Fails_IsUnknownAndSaidOnce()
    {
        CountedSource source = new() { Count = 3 };
        await using MessageRoute route = Start(source);
        await UntilAsync(route, 3);

        source.Failure = new InvalidOperationException("AccessDenied: sqs:GetQueueAttributes");
        await UntilAsync(route, null);
        await source.Counted(3, _time);

        _log.Entries.Where(entry => entry.Id.Id == 5104).ShouldHaveSingleItem().Text.ShouldContain(
            "Route archive: the messages in its dead-letter queue cannot be counted (AccessDenied: sqs:GetQueueAttributes)");
        source.Failure = null;
        await UntilAsync(route, 3);
    }

    [Fact]
    public async Task Count_SourceIgnoresItsToken_IsGivenUpAndDoesNotKeepTheRouteFromStopping()
    {
        CountedSource source = new() { Hangs = true };
        await using MessageRoute route = Start(source);

        await _time.PassUntilAsync(Step, () => _log.Entries.Any(entry => entry.Id.Id == 5104));

        _log.Entries.Single(entry => entry.Id.Id == 5104).Text.ShouldContain("(no answer within 30 s)");
        (await route.DrainAsync(CancellationToken.None).WaitAsync(TimeSpan.FromSeconds(30), TestContext.Current.CancellationToken)).ShouldBeTrue();
    }

    private async Task UntilAsync(MessageRoute route, long? count) => await _time.PassUntilAsync(Step, () => route.GetStatus().InDeadLetterQueue == count);

    private MessageRoute Start(params CountedSource[] sources)
    {
        RoutePlan plan = WorkerHost.Plan(new ConfigurationBuilder().AddCommandLine(["--Routes:archive:Sink=Memory"]).Build()).Routes.Single();
        plan = plan with
        {
            Sources =
            [.. sources.Select((source, i) => new SourcePlan { Name = $"source-{i}", Create = _ => source, CountsDeadLetters = true })]
        };
        MessageRoute route = new(plan, new ServiceCollection().BuildServiceProvider(), new MemoryDeadLetters(), _log, _time);
        route.Start();
        return route;
    }

    private sealed class CountedSource : IMessageSource
    {
        private readonly TaskCompletionSource<long?> _never = new();
        private int _counts;

        public long? Count { get; set; }

        public Exception? Failure { get; set; }

        public bool Hangs { get; init; }

        public Task CheckAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public async Task ReceiveAsync(IMessageIntake intake, CancellationToken stopReceiving)
        {
            using SlotLease slots = await intake.ReserveAsync(1, 1, stopReceiving);
            await Task.Delay(Timeout.Infinite, stopReceiving).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }

        public async ValueTask<long?> CountDeadLettersAsync(CancellationToken cancellationToken)
        {
            Interlocked.Increment(ref _counts);
            return Hangs ? await _never.Task : Failure is { } failure ? throw failure : Count;
        }

        /// <summary>Lets the time pass until it was counted several times more.</summary>
        public async Task Counted(int times, ManualTimeProvider time)
        {
            int until = Volatile.Read(ref _counts) + times;
            await time.PassUntilAsync(Step, () => Volatile.Read(ref _counts) >= until);
        }

        public Task CloseAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public ValueTask DisposeAsync() => default;
    }
}
