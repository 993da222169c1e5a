using System.Text;
using System.Threading.Channels;
using Microsoft.Extensions.Logging;
using Pipeline.Settlements;
using Worker.Tests.Sources.Contract;

namespace Worker.Tests.Sources.Channels;

public sealed class ChannelMessageSourceTests
{
    [Fact]
    public async Task Publish_Full_WaitsForASettlement()
    {
        await using ChannelSourceHarness harness = new(options => options.Capacity = 2);
        await harness.StartAsync();
        await harness.PublishAsync("1"u8.ToArray());
        await harness.PublishAsync("2"u8.ToArray());
        Delivery first = await harness.Intake.NextAsync();
        Delivery second = await harness.Intake.NextAsync();

        Task third = harness.PublishAsync("3"u8.ToArray());

        await harness.Intake.ShouldBeQuietAsync();
        third.IsCompleted.ShouldBeFalse("Messages in work count: the capacity bounds everything in memory.");
        await first.SettleAsync(Settlement.Abandon(TimeSpan.FromSeconds(1)));
        await harness.Intake.ShouldBeQuietAsync();
        third.IsCompleted.ShouldBeFalse("Messages that wait for another attempt count too.");
        await second.SettleAsync(Settlement.Complete);
        await third.WaitAsync(TimeSpan.FromSeconds(20));
        await (await harness.Intake.NextAsync()).SettleAsync(Settlement.Complete);
        harness.Time.Advance(TimeSpan.FromSeconds(1));
        await (await harness.Intake.NextAsync()).SettleAsync(Settlement.Complete);
        await harness.WaitUntilEmptyAsync();
        (harness.Publisher.Published, harness.Publisher.Settled, harness.Publisher.Returned).ShouldBe((3, 3, 1));
        await harness.FinishAsync();
    }

    [Fact]
    public async Task Publish_CancelledWhileWaiting_IsNotAccepted()
    {
        await using ChannelSourceHarness harness = new(options => options.Capacity = 1);
        using CancellationTokenSource cancellation = new();
        await harness.PublishAsync("1"u8.ToArray());
        Task waiting = harness.Publisher.PublishAsync("2"u8.ToArray(), id: null, cancellation.Token).AsTask();

        await cancellation.CancelAsync();

        await Should.ThrowAsync<OperationCanceledException>(waiting);
        harness.Publisher.Published.ShouldBe(1);
        harness.Intake.Script = _ => Settlement.Complete;
        await harness.StartAsync();
        await harness.WaitUntilEmptyAsync();
        await harness.PublishAsync("3"u8.ToArray());
        await harness.WaitUntilEmptyAsync();
        harness.Intake.Accepted.ShouldBe(2);
        await harness.FinishAsync();
    }

    [Fact]
    public async Task Publish_AfterStop_ThrowsForThoseWhoWaitToo()
    {
        await using ChannelSourceHarness harness = new(options => options.Capacity = 1);
        harness.Intake.Pause();
        await harness.StartAsync();
        await harness.PublishAsync("1"u8.ToArray());
        List<Task> waiting = [.. Enumerable.Range(0, 5).Select(_ => harness.PublishAsync("2"u8.ToArray()))];

        await harness.StopReceivingAsync();

        foreach (Task publish in waiting)
        {
            ChannelClosedException refused = await Should.ThrowAsync<ChannelClosedException>(publish.WaitAsync(TimeSpan.FromSeconds(20)));
            refused.Message.ShouldContain("'orders' is stopping");
        }

        await Should.ThrowAsync<ChannelClosedException>(harness.PublishAsync("3"u8.ToArray()));
        harness.Publisher.Published.ShouldBe(1);
        harness.Intake.Script = _ => Settlement.Complete;
        harness.Intake.Resume();
        await harness.FinishAsync();
        harness.Intake.Accepted.ShouldBe(1);
    }

    [Theory]
    [InlineData("empty")]
    [InlineData("half a surrogate pair")]
    [InlineData("257 bytes")]
    public async Task Publish_UnusableId_Throws(string kind)
    {
        await using ChannelSourceHarness harness = new();

        // Attributes cannot carry half a pair.
        string given = kind switch
        {
            "empty" => string.Empty,
            "257 bytes" => new string('\u00e4', 128) + "x",
            _ => "id-\ud800",
        };

        await Should.ThrowAsync<ArgumentException>(async () => await harness.PublishAsync("{}"u8.ToArray(), given));

        harness.Publisher.Held.ShouldBe(0);
    }

    [Fact]
    public async Task Publish_LongestId_IsKept()
    {
        await using ChannelSourceHarness harness = new();
        string id = new('\u00e4', 128);
        await harness.StartAsync();
        await harness.PublishAsync("{}"u8.ToArray(), id);

        Delivery delivery = await harness.Intake.NextAsync();

        delivery.Id.ShouldBe(id);
        await delivery.SettleAsync(Settlement.Complete);
        await harness.FinishAsync();
    }

    [Fact]
    public async Task Publish_TooLarge_ThrowsAndNamesTheSetting()
    {
        await using ChannelSourceHarness harness = new(options => options.MaxMessageBytes = 10);

        ArgumentException refused = await Should.ThrowAsync<ArgumentException>(async () => await harness.PublishAsync(new byte[11]));

        refused.Message.ShouldContain("Sources:Channel:MaxMessageBytes");
        await harness.PublishAsync(new byte[10]);
        harness.Publisher.Held.ShouldBe(1);
    }

    [Fact]
    public async Task Publish_NoId_GivesANewLowerCaseUuid()
    {
        await using ChannelSourceHarness harness = new();
        await harness.StartAsync();
        await harness.PublishAsync("{}"u8.ToArray());

        Delivery delivery = await harness.Intake.NextAsync();

        Guid.ParseExact(delivery.Id, "D").Version.ShouldBe(7);
        delivery.Id.ShouldBe(delivery.Id.ToLowerInvariant());
        delivery.EnqueuedAt.ShouldBe(harness.Time.GetUtcNow());
        await delivery.SettleAsync(Settlement.Complete);
        await harness.FinishAsync();
    }

    [Fact]
    public async Task Publish_CallerChangesItsBytesAfterwards_TheMessageKeepsTheOldOnes()
    {
        byte[] body = "before"u8.ToArray();
        await using ChannelSourceHarness harness = new();
        await harness.PublishAsync(body);
        "after!"u8.CopyTo(body);

        await harness.StartAsync();
        Delivery delivery = await harness.Intake.NextAsync();

        Encoding.ASCII.GetString(delivery.Body).ShouldBe("before");
        await delivery.SettleAsync(Settlement.Complete);
        await harness.FinishAsync();
    }

    [Fact]
    public async Task Abandon_SeveralDelays_ComeInTheOrderOfTheirTime()
    {
        await using ChannelSourceHarness harness = new();
        await harness.StartAsync();
        foreach ((string id, int seconds) in new[] { ("late", 30), ("soon", 1), ("middle", 5) })
        {
            await harness.PublishAsync([], id);
            await (await harness.Intake.NextAsync()).SettleAsync(Settlement.Abandon(TimeSpan.FromSeconds(seconds)));
        }

        harness.Time.ArmedTimers.ShouldBe(1, "One timer serves all.");
        foreach (string expected in new[] { "soon", "middle", "late" })
        {
            harness.Time.Advance(TimeSpan.FromSeconds(expected == "soon" ? 1 : expected == "middle" ? 4 : 25));
            Delivery delivery = await harness.Intake.NextAsync();
            delivery.Id.ShouldBe(expected);
            await harness.Intake.ShouldBeQuietAsync();
            await delivery.SettleAsync(Settlement.Complete);
        }

        await harness.FinishAsync();
    }

    [Fact]
    public async Task Abandon_EndlessDelay_IsBoundedToADay()
    {
        await using ChannelSourceHarness harness = new();
        await harness.StartAsync();
        await harness.PublishAsync([], "patient");
        await (await harness.Intake.NextAsync()).SettleAsync(Settlement.Abandon(TimeSpan.MaxValue));

        harness.Time.Advance(TimeSpan.FromDays(1));

        await (await harness.Intake.NextAsync()).SettleAsync(Settlement.Complete);
        await harness.FinishAsync();
    }

    [Fact]
    public async Task DeadLetter_StoreFails_TheMessageComesAgainAndIsCounted()
    {
        await using ChannelSourceHarness harness = new();
        harness.DeadLetters.Fail(times: 2);
        await harness.StartAsync();
        await harness.PublishAsync("bad"u8.ToArray(), "poison");
        for (int attempt = 1; attempt <= 3; attempt++)
        {
            Delivery delivery = await harness.Intake.NextAsync();
            delivery.Count.ShouldBe(attempt);
            await delivery.SettleAsync(Settlement.DeadLetter("malformed-json", "No JSON."));
            harness.Time.Advance(TimeSpan.FromMinutes(1));
        }

        await harness.WaitUntilEmptyAsync();
        harness.DeadLetters.Letters.ShouldHaveSingleItem().Id.ShouldBe("poison");
        harness.DeadLetters.Records[0].Attempts.ShouldBe(3);
        harness.Log.Entries.Count(entry => entry.Id.Id == 3000 && entry.Level == LogLevel.Warning).ShouldBe(2);
        await harness.FinishAsync();
    }

    [Fact]
    public async Task DeadLetter_CallerStopsWaiting_TheWriteGoesOnWithTheSameBytes()
    {
        TaskCompletionSource gate = new(TaskCreationOptions.RunContinuationsAsynchronously);
        await using ChannelSourceHarness harness = new();
        harness.DeadLetters.Gate = gate.Task;
        await harness.StartAsync();
        await harness.PublishAsync("kept"u8.ToArray());
        Delivery delivery = await harness.Intake.NextAsync();

        await Should.ThrowAsync<OperationCanceledException>(delivery.SettleAsync(Settlement.DeadLetter("r", "d"), new CancellationToken(canceled: true)));

        gate.SetResult();
        await harness.WaitUntilEmptyAsync();
        harness.DeadLetters.Letters.ShouldHaveSingleItem().Body.ShouldBe("kept"u8.ToArray());
        await harness.FinishAsync();
    }

    [Fact]
    public async Task Drain_MessagesWaitingAndReturned_AreAllWorkedOff()
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
        using CancellationTokenSource patience = new(TimeSpan.FromSeconds(20));
        Task draining = harness.Source.DrainAsync(harness.Intake, patience.Token);
        while (!draining.IsCompleted)
        {
            harness.Time.Advance(TimeSpan.FromMilliseconds(100));
            await Task.Delay(5);
        }

        await draining;
        patience.IsCancellationRequested.ShouldBeFalse("The drain ends by itself when nothing is held.");
        (harness.Publisher.Completed, harness.Publisher.Returned, harness.Publisher.Held).ShouldBe((200, 200, 0));
        await harness.FinishAsync();
        harness.DeadLetters.Letters.ShouldBeEmpty();
    }

    [Fact]
    public async Task Drain_OutOfTime_LeavesTheRestToTheDeadLetters()
    {
        await using ChannelSourceHarness harness = new();
        harness.Intake.Pause();
        await harness.StartAsync();
        await harness.PublishAsync("waiting"u8.ToArray(), "a");
        await harness.StopReceivingAsync();

        await harness.Source.DrainAsync(harness.Intake, new CancellationToken(canceled: true)).WaitAsync(TimeSpan.FromSeconds(20));
        await harness.Source.CloseAsync(CancellationToken.None);

        DeadLettered letter = harness.DeadLetters.Letters.ShouldHaveSingleItem();
        letter.ShouldSatisfyAllConditions(
            () => letter.Id.ShouldBe("a"),
            () => letter.Reason.ShouldBe("unprocessed-at-stop"),
            () => letter.Body.ShouldBe("waiting"u8.ToArray()));
        harness.DeadLetters.Records[0].Attempts.ShouldBe(0);
        harness.Log.Entries.ShouldContain(entry => entry.Id.Id == 3001 && entry.Level == LogLevel.Warning && entry.Text.Contains("1 message(s)", StringComparison.Ordinal));
        await harness.FinishAsync();
    }

    [Fact]
    public async Task Close_DrainOff_SetsWaitingAndDelayedMessagesAside()
    {
        await using ChannelSourceHarness harness = new(options => options.DrainOnStop = false);
        await harness.StartAsync();
        await harness.PublishAsync([], "delayed");
        await (await harness.Intake.NextAsync()).SettleAsync(Settlement.Abandon(TimeSpan.FromSeconds(9)));
        harness.Intake.Pause();
        await harness.PublishAsync([], "waiting");

        await harness.FinishAsync();

        harness.DeadLetters.Letters.Select(letter => letter.Id).Order(StringComparer.Ordinal).ShouldBe(["delayed", "waiting"]);
        harness.DeadLetters.Records.Single(record => record.SourceId == "delayed").Attempts.ShouldBe(1);
    }

    [Fact]
    public async Task Close_DeadLettersFail_CountsAndReportsTheLoss()
    {
        await using ChannelSourceHarness harness = new();
        await harness.PublishAsync([], "a");
        await harness.PublishAsync([], "b");
        harness.DeadLetters.Fail(times: 1);

        await harness.Source.CloseAsync(CancellationToken.None);

        (harness.Publisher.DeadLettered, harness.Publisher.Lost, harness.Publisher.Held).ShouldBe((1, 1, 0));
        harness.Log.Entries.ShouldContain(entry => entry.Id.Id == 3002 && entry.Level == LogLevel.Error && entry.Text.Contains("1 message(s) of source channel are LOST", StringComparison.Ordinal));
        harness.OutstandingBuffers.ShouldBe(0);
    }

    [Fact]
    public async Task Close_OutOfTime_CountsAndReportsTheLoss()
    {
        await using ChannelSourceHarness harness = new();
        await harness.PublishAsync([], "a");

        await harness.Source.CloseAsync(new CancellationToken(canceled: true));

        (harness.Publisher.DeadLettered, harness.Publisher.Lost).ShouldBe((0, 1));
        harness.OutstandingBuffers.ShouldBe(0);
    }

    [Fact]
    public async Task Settle_AfterClose_IsStillCarriedOut()
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
        harness.DeadLetters.Fail(times: 1);
        await late[3].SettleAsync(Settlement.DeadLetter("malformed-json", "No JSON."));

        harness.DeadLetters.Letters.Select(letter => $"{letter.Id} {letter.Reason}").Order(StringComparer.Ordinal)
            .ShouldBe(["abandon unprocessed-at-stop", "delay unprocessed-at-stop", "poison unprocessed-at-stop"]);
        harness.OutstandingBuffers.ShouldBe(0);
    }

    [Fact]
    public async Task Stop_AtAnyMoment_NothingAcceptedIsLost()
    {
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
                    // The end of every publisher.
                }
            }))];
            await Task.Delay(5);

            await harness.FinishAsync();
            await Task.WhenAll(publishers);
            await ticking.CancelAsync();
            await clock;

            harness.Publisher.Published.ShouldBe(accepted);
            harness.Publisher.Settled.ShouldBe(accepted, $"Round {round}");
            harness.DeadLetters.Letters.ShouldAllBe(letter => letter.Reason == "test-reason");
        }
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
