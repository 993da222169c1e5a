using Messaging.Tests.Intake;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Planning;
using Quayside.Messaging.Sources;
using Shared.Hosting;

namespace Messaging.Tests.Planning;

/// <summary>A source that ends its receiving, or never begins, is not healthy until receiving has worked.</summary>
[Collection(OneThreadCollection.Name)]
public sealed class SourceHealthTests
{
    private static readonly TimeSpan Step = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan WaitLimit = TimeSpan.FromSeconds(30);

    public enum Ends
    {
        ThrowsBeforeItsFirstAwait,
        Throws,
        Returns,
        IsCancelledByItself,
        ReturnsNoTask,
        ThrowsAfterEachMessage,
        ReturnsAfterEachMessage,
        NeverAsksForASlot,
    }

    [Theory]
    [InlineData(Ends.ThrowsBeforeItsFirstAwait, "InvalidOperationException: broken")]
    [InlineData(Ends.Throws, "InvalidOperationException: broken")]
    [InlineData(Ends.Returns, "it returned although the worker is not stopping")]
    [InlineData(Ends.IsCancelledByItself, "TaskCanceledException: its own")]
    [InlineData(Ends.ReturnsNoTask, "its ReceiveAsync returned no task")]
    [InlineData(Ends.ThrowsAfterEachMessage, "InvalidOperationException: broken")]
    [InlineData(Ends.ReturnsAfterEachMessage, "it returned although the worker is not stopping")]
    [InlineData(Ends.NeverAsksForASlot, "has not asked for a slot for 10 s")]
    public async Task Receive_DoesNotLast_IsNotReadyUntilItHasWorked(Ends ends, string reason)
    {
        using RecordingLog log = new();
        ManualTimeProvider time = new();
        PlantedSource source = new(ends);
        await using MessageRoute route = Create(time, log, source);
        int timers = time.ArmedTimers;
        route.Start();
        try
        {
            bool isLoop = ends != Ends.NeverAsksForASlot;
            if (!isLoop)
            {
                await time.PassUntilAsync(Step, () => route.Problem is not null);
            }

            for (int i = 1; i <= 30; i++)
            {
                if (isLoop)
                {
                    // Failed for the i-th time, and in the pause before the restart.
                    string count = i == 1 ? "stopped receiving" : $"({i} times in a row)";
                    await PassingTime.UntilAsync(() => route.Problem?.Contains(count, StringComparison.Ordinal) ?? false);
                    await time.WaitForTimersAsync(timers + 1);
                }

                RouteStatus status = route.GetStatus();
                status.IsReady.ShouldBeFalse($"at failure {i}");
                status.IsReceiving.ShouldBeFalse();
                status.Problem.ShouldNotBeNull().ShouldContain(reason);
                status.Problem.ShouldContain("The source planted");
                time.Advance(TimeSpan.FromSeconds(5));
            }

            if (isLoop)
            {
                log.Entries.Count(entry => entry.Id.Id == 1003).ShouldBe(3, "the first, and one per minute");
                source.Works = true;
                await time.PassUntilAsync(Step, () => route.GetStatus().IsReady);
                await time.PassUntilAsync(Step, () => log.Entries.Any(entry => entry.Id.Id == 1014));
            }
        }
        finally
        {
            await route.DrainAsync(CancellationToken.None).WaitAsync(WaitLimit, TestContext.Current.CancellationToken);
        }
    }

    [Fact]
    public async Task Receive_FailsNowAndThenWithAMessage_StaysNotReady()
    {
        using RecordingLog log = new();
        ManualTimeProvider time = new();
        PlantedSource source = new(Ends.Throws) { Works = true };
        await using MessageRoute route = Create(time, log, source);
        route.Start();

        // Every 25 s: longer than the first proof.
        int readySeconds = 0;
        for (int failure = 0; failure < 12; failure++)
        {
            int receives = source.Receives;
            source.Fail();
            await time.PassUntilAsync(Step, () => source.Receives > receives || source.Failed);
            await time.PassUntilAsync(Step, () => source.Receives > receives);
            for (int second = 0; second < 20; second++)
            {
                readySeconds += failure >= 4 && route.GetStatus().IsReady ? 1 : 0;
                await time.PassAsync(Step);
            }
        }

        readySeconds.ShouldBe(0);
        await route.DrainAsync(CancellationToken.None).WaitAsync(WaitLimit, TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Problem_SourceReportsWhyItDoesNotAsk_IsNotReplacedByAGuess()
    {
        using RecordingLog log = new();
        ManualTimeProvider time = new();
        PlantedSource source = new(Ends.NeverAsksForASlot) { Reported = "Name or service not known (sqs.example:443)" };
        await using MessageRoute route = Create(time, log, source);
        route.Start();

        await time.PassAsync(TimeSpan.FromMinutes(1));

        route.GetStatus().Problem.ShouldBe("Name or service not known (sqs.example:443)");
        source.Reported = null;
        route.GetStatus().Problem.ShouldNotBeNull().ShouldContain("has not asked for a slot");
        await route.DrainAsync(CancellationToken.None).WaitAsync(WaitLimit, TestContext.Current.CancellationToken);
    }

    internal static MessageRoute Create(ManualTimeProvider time, RecordingLog log, IMessageSource source)
    {
        RoutePlan plan = WorkerHost.Plan(new ConfigurationBuilder().AddCommandLine(["--Routes:archive:Sink=Memory"]).Build()).Routes.Single();
        plan = plan with { Sources = [new SourcePlan { Name = "planted", Create = _ => source }] };
        return new MessageRoute(plan, new ServiceCollection().BuildServiceProvider(), new MemoryDeadLetters(), log, time);
    }

    private sealed class PlantedSource(Ends ends) : IMessageSource
    {
        private static readonly Task NoTask = null!;

        private TaskCompletionSource _fail = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private int _receives;

        public volatile bool Works;

        public volatile string? Reported;

        public string? Problem => Reported;

        public int Receives => Volatile.Read(ref _receives);

        public bool Failed => _fail.Task.IsCompleted;

        public void Fail() => Volatile.Read(ref _fail).TrySetResult();

        public Task CheckAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public Task ReceiveAsync(IMessageIntake intake, CancellationToken stopReceiving)
        {
            Interlocked.Increment(ref _receives);
            if (!Works && ends == Ends.ThrowsBeforeItsFirstAwait)
            {
                throw new InvalidOperationException("broken");
            }

            return !Works && ends == Ends.ReturnsNoTask ? NoTask : ReceiveCoreAsync(intake, stopReceiving);
        }

        public Task CloseAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public ValueTask DisposeAsync() => default;

        private async Task ReceiveCoreAsync(IMessageIntake intake, CancellationToken stopReceiving)
        {
            if (!Works && ends == Ends.NeverAsksForASlot)
            {
                await Task.Delay(Timeout.Infinite, stopReceiving);
            }

            using (SlotLease slots = await intake.ReserveAsync(1, 1, stopReceiving))
            {
                if (!Works && ends is Ends.ThrowsAfterEachMessage or Ends.ReturnsAfterEachMessage)
                {
                    slots.Accept(new TestMessage());
                }
            }

            if (Works)
            {
                await Volatile.Read(ref _fail).Task.WaitAsync(stopReceiving);
                Volatile.Write(ref _fail, new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously));
                throw new InvalidOperationException("broken");
            }

            switch (ends)
            {
                case Ends.Throws or Ends.ThrowsAfterEachMessage:
                    await Task.Yield();
                    throw new InvalidOperationException("broken");
                case Ends.IsCancelledByItself:
                    throw new TaskCanceledException("its own");
            }
        }
    }
}
