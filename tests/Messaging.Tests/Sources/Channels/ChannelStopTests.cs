using System.Text;
using System.Threading.Channels;
using Microsoft.Extensions.Logging;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Sources.Channels;

/// <summary>The messages in the channel at a stop.</summary>
public sealed class ChannelStopTests
{
    [Fact]
    public async Task Drain_MessagesWaitingAndReturned_AreAllHandled()
    {
        await using ChannelSourceHarness harness = new();
        harness.Intake.Pause();
        await harness.StartAsync();
        for (int i = 0; i < 200; i++)
        {
            await harness.PublishAsync([], $"id-{i}");
        }

        await harness.StopReceivingAsync();
        harness.Intake.Accepted.ShouldBe(0);
        harness.Intake.Script = delivery => delivery.Count == 1 ? Settlement.Abandon(TimeSpan.FromSeconds(1)) : Settlement.Complete;
        harness.Intake.Resume();
        using CancellationTokenSource waitLimit = new(TimeSpan.FromSeconds(60));
        Task draining = harness.Source.DrainAsync(harness.Intake, waitLimit.Token);
        while (!draining.IsCompleted)
        {
            harness.Time.Advance(TimeSpan.FromMilliseconds(100));
            await Task.Delay(5);
        }

        await draining;
        waitLimit.IsCancellationRequested.ShouldBeFalse("The drain ends by itself when nothing is held.");
        (harness.Publisher.Completed, harness.Publisher.Returned, harness.Publisher.Unsettled).ShouldBe((200, 200, 0));
        await harness.FinishAsync();
        harness.DeadLetters.Messages.ShouldBeEmpty();
    }

    [Fact]
    public async Task Drain_TimeoutEnds_LeavesTheRestToTheDeadLetters()
    {
        await using ChannelSourceHarness harness = new();
        harness.Intake.Pause();
        await harness.StartAsync();
        await harness.PublishAsync("waiting"u8.ToArray(), "a");
        await harness.StopReceivingAsync();

        await harness.Source.DrainAsync(harness.Intake, new CancellationToken(canceled: true)).WaitAsync(TimeSpan.FromSeconds(60));
        await harness.Source.CloseAsync(CancellationToken.None);

        DeadLetteredMessage letter = harness.DeadLetters.Messages.ShouldHaveSingleItem();
        letter.ShouldSatisfyAllConditions(
            () => letter.Id.ShouldBe("a"),
            () => letter.Reason.ShouldBe("unprocessed-at-stop"),
            () => letter.Body.ShouldBe("waiting"u8.ToArray()));
        harness.DeadLetters.Records[0].Attempts.ShouldBe(0);
        harness.Log.Entries.ShouldContain(
            entry => entry.Id.Id == 3001 && entry.Level == LogLevel.Warning && entry.Text.Contains("1 message(s)", StringComparison.Ordinal));
        await harness.FinishAsync();
    }

    [Fact]
    public async Task Close_DrainDisabled_DeadLettersWaitingAndDelayedMessages()
    {
        await using ChannelSourceHarness harness = new(options => options.DrainOnStop = false);
        await harness.StartAsync();
        await harness.PublishAsync([], "delayed");
        await (await harness.Intake.NextAsync()).SettleAsync(Settlement.Abandon(TimeSpan.FromSeconds(9)));
        harness.Intake.Pause();
        await harness.PublishAsync([], "waiting");

        await harness.FinishAsync();

        harness.DeadLetters.Messages.Select(letter => letter.Id).Order(StringComparer.Ordinal).ShouldBe(["delayed", "waiting"]);
        harness.DeadLetters.Records.Single(record => record.SourceId == "delayed").Attempts.ShouldBe(1);
    }

    [Fact]
    public async Task Close_DeadLettersFail_CountsAndReportsTheLoss()
    {
        await using ChannelSourceHarness harness = new();
        await harness.PublishAsync([], "a");
        await harness.PublishAsync([], "b");
        harness.DeadLetters.Fail(times: 1);
        int timers = harness.Time.ArmedTimers;
        using CancellationTokenSource limit = new();

        // The time for closing ends while the failed one waits for its next attempt.
        Task closing = harness.Source.CloseAsync(limit.Token);
        await harness.Time.WaitForTimersAsync(timers + 1);
        await limit.CancelAsync();
        await closing.WaitAsync(TimeSpan.FromSeconds(60));

        (harness.Publisher.DeadLettered, harness.Publisher.Lost, harness.Publisher.Unsettled).ShouldBe((1, 1, 0));
        LogEntry lost = harness.Log.Entries.Where(entry => entry.Id.Id == 3002 && entry.Level == LogLevel.Error).ShouldHaveSingleItem();
        lost.Text.ShouldContain("1 message(s) of source channel are LOST");

        // Not that the time ended.
        lost.Text.ShouldContain("The disk is full.");
        await harness.Source.DisposeAsync();
        harness.OutstandingBuffers.ShouldBe(0);
    }

    [Fact]
    public async Task Close_TimeoutEnds_CountsAndReportsTheLoss()
    {
        await using ChannelSourceHarness harness = new();
        await harness.PublishAsync([], "a");

        await harness.Source.CloseAsync(new CancellationToken(canceled: true));

        (harness.Publisher.DeadLettered, harness.Publisher.Lost).ShouldBe((0, 1));
        await harness.Source.DisposeAsync();
        harness.OutstandingBuffers.ShouldBe(0);
    }

    [Fact]
    public async Task Settle_AfterClose_TheMessagesAreInTheDeadLettersOnceAndTheirBuffersAreReturned()
    {
        await using ChannelSourceHarness harness = new();
        await harness.StartAsync();
        List<Delivery> late = [];
        foreach (string id in new[] { "complete", "abandon", "delay", "poison" })
        {
            await harness.PublishAsync("x"u8.ToArray(), id);
            late.Add(await harness.Intake.NextAsync());
        }

        await harness.StopReceivingAsync();
        await harness.Source.CloseAsync(CancellationToken.None);
        await harness.Source.DisposeAsync();

        await late[0].SettleAsync(Settlement.Complete);
        await late[1].SettleAsync(Settlement.Abandon(TimeSpan.Zero));
        await late[2].SettleAsync(Settlement.Abandon(TimeSpan.FromSeconds(5)));
        await late[3].SettleAsync(Settlement.DeadLetter("malformed-json", "No JSON."));

        harness.DeadLetters.Messages.Select(letter => $"{letter.Id} {letter.Reason}").Order(StringComparer.Ordinal)
            .ShouldBe(["abandon unprocessed-at-stop", "complete unprocessed-at-stop", "delay unprocessed-at-stop", "poison unprocessed-at-stop"]);
        harness.Publisher.Unsettled.ShouldBe(0);
        harness.OutstandingBuffers.ShouldBe(0);
    }

    [Fact]
    public async Task Stop_AtAnyMoment_NothingAcceptedIsLost()
    {
        List<DeadLetteredMessage> letters = [];
        for (int round = 0; round < 40; round++)
        {
            int seed = round;
            await using ChannelSourceHarness harness = new(options => options.Capacity = 8);
            harness.Intake.Script = delivery => ((delivery.Id.Sum(c => c) + delivery.Count + seed) % 5) switch
            {
                0 => Settlement.Abandon(TimeSpan.Zero),
                1 => Settlement.Abandon(TimeSpan.FromMilliseconds(1)),
                2 => Settlement.DeadLetter("test-reason", "Now and then."),
                _ => Settlement.Complete,
            };
            await harness.StartAsync();
            using CancellationTokenSource ticking = new();
            Task clock = TickAsync(harness.Time, ticking.Token);
            int accepted = 0;
            Task[] publishers = [.. Enumerable.Range(0, 4).Select(publisher => Task.Run(async () =>
            {
                try
                {
                    for (int i = 0; ; i++)
                    {
                        await harness.PublishAsync(Encoding.ASCII.GetBytes($"{i}"), $"{publisher}-{i}");
                        Interlocked.Increment(ref accepted);
                    }
                }
                catch (ChannelClosedException)
                {
                    // Every publisher ends with this exception.
                }
            }))];
            await Task.Delay(5);

            await harness.StopReceivingAsync();
            await harness.Source.DrainAsync(harness.Intake, CancellationToken.None);
            await harness.Source.CloseAsync(CancellationToken.None);
            await harness.Source.DisposeAsync();

            // A publisher that was refused may still have a buffer, which the end below would find missing.
            await Task.WhenAll(publishers);
            await harness.FinishAsync();
            await ticking.CancelAsync();
            await clock;

            harness.Publisher.Published.ShouldBe(accepted);
            harness.Publisher.Settled.ShouldBe(accepted, $"Round {round}");
            letters.AddRange(harness.DeadLetters.Messages);
        }

        // A round may end before its first dead letter.
        letters.ShouldAllBe(letter => letter.Reason == "test-reason");
    }

    private static async Task TickAsync(ManualTimeProvider time, CancellationToken cancellationToken)
    {
        while (!cancellationToken.IsCancellationRequested)
        {
            time.Advance(TimeSpan.FromMilliseconds(1));
            await Task.Delay(1, CancellationToken.None);
        }
    }
}
