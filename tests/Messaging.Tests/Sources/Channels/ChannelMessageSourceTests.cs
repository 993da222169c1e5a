using System.Text;
using System.Threading.Channels;
using Messaging.Tests.Aws.Sqs;
using Microsoft.Extensions.Logging;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Sources.Channels;

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

        third.IsCompleted.ShouldBeFalse("Messages in flight count: the capacity bounds all messages in memory.");
        await second.SettleAsync(Settlement.Complete);
        await third.WaitAsync(TimeSpan.FromSeconds(60));
        Delivery inFlight = await harness.Intake.NextAsync();
        await first.SettleAsync(Settlement.Abandon(TimeSpan.FromSeconds(1)));

        Task fourth = harness.PublishAsync("4"u8.ToArray());

        fourth.IsCompleted.ShouldBeFalse("Messages that wait for a retry count too.");
        await inFlight.SettleAsync(Settlement.Complete);
        await fourth.WaitAsync(TimeSpan.FromSeconds(60));
        await (await harness.Intake.NextAsync()).SettleAsync(Settlement.Complete);
        harness.Time.Advance(TimeSpan.FromSeconds(1));
        await (await harness.Intake.NextAsync()).SettleAsync(Settlement.Complete);
        await harness.WaitUntilEmptyAsync();
        (harness.Publisher.Published, harness.Publisher.Settled, harness.Publisher.Returned).ShouldBe((4, 4, 1));
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
    public async Task Publish_AfterStop_ThrowsForWaitingCallersToo()
    {
        await using ChannelSourceHarness harness = new(options => options.Capacity = 1);
        harness.Intake.Pause();
        await harness.StartAsync();
        await harness.PublishAsync("1"u8.ToArray());
        List<Task> waiting = [.. Enumerable.Range(0, 5).Select(_ => harness.PublishAsync("2"u8.ToArray()))];

        await harness.StopReceivingAsync();

        foreach (Task publish in waiting)
        {
            ChannelClosedException refused = await Should.ThrowAsync<ChannelClosedException>(publish.WaitAsync(TimeSpan.FromSeconds(60)));
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

        // Attributes cannot hold half a surrogate pair.
        string given = kind switch
        {
            "empty" => string.Empty,
            "257 bytes" => new string('\u00e4', 128) + "x",
            _ => "id-\ud800",
        };

        await Should.ThrowAsync<ArgumentException>(async () => await harness.PublishAsync("{}"u8.ToArray(), given));

        harness.Publisher.Unsettled.ShouldBe(0);
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
        harness.Publisher.Unsettled.ShouldBe(1);
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
    public async Task Abandon_SeveralDelays_AreRedeliveredInOrderOfTime()
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
            await delivery.SettleAsync(Settlement.Complete);

            await harness.PublishAsync([], "new");
            Delivery next = await harness.Intake.NextAsync();
            next.Id.ShouldBe("new", "Nothing else was due.");
            await next.SettleAsync(Settlement.Complete);
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

        harness.Time.Advance(TimeSpan.FromDays(1) - TimeSpan.FromSeconds(1));
        await harness.PublishAsync([], "new");
        Delivery next = await harness.Intake.NextAsync();
        next.Id.ShouldBe("new", "The delay has not ended.");
        await next.SettleAsync(Settlement.Complete);
        harness.Time.Advance(TimeSpan.FromSeconds(1));

        Delivery again = await harness.Intake.NextAsync();
        again.Id.ShouldBe("patient");
        await again.SettleAsync(Settlement.Complete);
        await harness.FinishAsync();
    }

    [Fact]
    public async Task DeadLetter_StoreFails_TheMessageIsRedeliveredAndCounted()
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
        harness.DeadLetters.Messages.ShouldHaveSingleItem().Id.ShouldBe("poison");
        harness.DeadLetters.Records[0].Attempts.ShouldBe(3);
        harness.Log.Entries.Count(entry => entry.Id.Id == 3000 && entry.Level == LogLevel.Warning).ShouldBe(2);
        await harness.FinishAsync();
    }

    [Fact]
    public async Task DeadLetter_StoreAndLogFail_TheMessageIsRedelivered()
    {
        Settlement poison = Settlement.DeadLetter("malformed-json", "No JSON.");
        using FullLog log = new();
        await using ChannelSourceHarness harness = new(loggers: log);
        harness.DeadLetters.Fail(times: 1);
        await harness.StartAsync();
        await harness.PublishAsync("bad"u8.ToArray(), "poison");

        await (await harness.Intake.NextAsync()).SettleAsync(poison);
        log.Lines.ShouldBe(1);
        harness.Time.Advance(TimeSpan.FromMinutes(1));
        await (await harness.Intake.NextAsync()).SettleAsync(poison);

        await harness.WaitUntilEmptyAsync();
        harness.DeadLetters.Messages.ShouldHaveSingleItem().Id.ShouldBe("poison");
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
        harness.DeadLetters.Messages.ShouldHaveSingleItem().Body.ShouldBe("kept"u8.ToArray());
        await harness.FinishAsync();
    }
}
