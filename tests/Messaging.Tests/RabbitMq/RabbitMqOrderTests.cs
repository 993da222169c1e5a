using Quayside.Pipeline.Settlements;
using RabbitMQ.Client;

namespace Messaging.Tests.RabbitMq;

/// <summary>Orders of frames, confirmations and broken connections that a broker on the same machine rarely shows. In none of them is a message lost.</summary>
public sealed class RabbitMqOrderTests
{
    private const string Queue = FakeRabbitMqHarness.Queue;
    private const string Letters = FakeRabbitMqHarness.Letters;

    [Fact]
    public async Task Return_ItsRejectIsOnItsWay_NoBatchAcknowledgesIt()
    {
        await using FakeRabbitMqHarness harness = await FakeRabbitMqHarness.ReceivingAsync();
        Delivery[] messages = await harness.ReceiveAsync("a", "b");
        HeldFrame reject = harness.Broker.Hold(nameof(IChannel.BasicRejectAsync));

        await messages[0].SettleAsync(Settlement.Abandon(TimeSpan.Zero));
        await reject.Sent;
        await messages[1].SettleAsync(Settlement.Complete);
        await harness.Broker.UntilAsync(static broker => broker.Acknowledged.Count > 0);

        harness.Broker.Acknowledged.ShouldBe(["b"]);
        reject.Release();
        Delivery again = await harness.Intake.NextAsync();
        (again.Id, again.Count).ShouldBe(("a", 2));
        await again.SettleAsync(Settlement.Complete);
        await harness.FinishAsync();
        harness.Broker.Acknowledged.ShouldBe(["b", "a"]);
        harness.Broker.Mistakes.ShouldBeEmpty();
    }

    [Fact]
    public async Task Complete_WhileABatchIsOnItsWay_EachTagIsSettledOnce()
    {
        await using FakeRabbitMqHarness harness = await FakeRabbitMqHarness.ReceivingAsync();
        Delivery[] messages = await harness.ReceiveAsync("a", "b", "c", "d", "e");
        HeldFrame batch = harness.Broker.Hold(nameof(IChannel.BasicAckAsync));
        await messages[0].SettleAsync(Settlement.Complete);
        await messages[1].SettleAsync(Settlement.Complete);
        harness.Time.Advance(TimeSpan.FromMilliseconds(5));
        await batch.Sent;

        await messages[2].SettleAsync(Settlement.Abandon(TimeSpan.Zero));
        await harness.Intake.NextAsync();
        await messages[4].SettleAsync(Settlement.Complete);
        await messages[3].SettleAsync(Settlement.Complete);
        harness.Broker.Acknowledged.ShouldBeEmpty();
        batch.Release();

        await harness.AdvanceUntilAsync(() => harness.Broker.Acknowledged.Count == 4, "Four messages were not acknowledged.");
        harness.Broker.Acknowledged.Order().ShouldBe(["a", "b", "d", "e"]);
        harness.Broker.Mistakes.ShouldBeEmpty();
    }

    [Fact]
    public async Task Close_AnAcknowledgementIsOnItsWay_WaitsForIt()
    {
        await using FakeRabbitMqHarness harness = await FakeRabbitMqHarness.ReceivingAsync();
        Delivery[] messages = await harness.ReceiveAsync("a");
        HeldFrame acknowledgement = harness.Broker.Hold(nameof(IChannel.BasicAckAsync));
        await messages[0].SettleAsync(Settlement.Complete);
        await acknowledgement.Sent;

        await harness.StopReceivingAsync();
        Task closing = harness.Source.CloseAsync(CancellationToken.None);
        closing.IsCompleted.ShouldBeFalse("The connection would break before the broker has the acknowledgement.");
        acknowledgement.Release();
        await closing;

        harness.Broker.Acknowledged.ShouldBe(["a"]);
        harness.Broker.Ready(Queue).ShouldBeEmpty();
    }

    [Fact]
    public async Task DeadLetter_NotConfirmedWhenTheWorkerStops_StaysInTheQueue()
    {
        await using FakeRabbitMqHarness harness = await FakeRabbitMqHarness.ReceivingAsync();
        Delivery[] messages = await harness.ReceiveAsync("a");
        harness.Broker.ConfirmLate();
        await messages[0].SettleAsync(Settlement.DeadLetter("poison", "a test's"));
        await harness.Broker.UntilAsync(static broker => broker.Unconfirmed == 1);

        await harness.AdvanceUntilAsync(() => harness.Source.Problem is not null, "A dead letter without a confirmation is no problem.");
        harness.Source.Problem.ShouldBe("RabbitMQ has not confirmed a dead letter for 30 s.");
        harness.Log.Entries.ShouldContain(static entry => entry.Id.Id == 3356);
        await harness.StopReceivingAsync();
        await harness.Source.CloseAsync(new CancellationToken(canceled: true));

        harness.Broker.Acknowledged.ShouldBeEmpty();
        harness.Broker.Ready(Queue).ShouldHaveSingleItem().Id.ShouldBe("a");
    }

    [Fact]
    public async Task DeadLetter_ConfirmedLate_IsAcknowledgedThenAndSentOnce()
    {
        await using FakeRabbitMqHarness harness = await FakeRabbitMqHarness.ReceivingAsync();
        Delivery[] messages = await harness.ReceiveAsync("a");
        harness.Broker.ConfirmLate();
        await messages[0].SettleAsync(Settlement.DeadLetter("poison", "a test's"));
        await harness.Broker.UntilAsync(static broker => broker.Unconfirmed == 1);
        await harness.AdvanceUntilAsync(() => harness.Source.Problem is not null, "A dead letter without a confirmation is no problem.");

        harness.Broker.Confirm();

        await harness.WaitUntilEmptyAsync();
        harness.Broker.Acknowledged.ShouldBe(["a"]);
        harness.Broker.Ready(Letters).ShouldHaveSingleItem().Id.ShouldBe("a");
        await harness.FinishAsync();
        harness.Source.Problem.ShouldBeNull();
    }

    [Theory]
    [InlineData(500, "poison")]
    [InlineData(50, null)]
    public async Task DeadLetter_HeadersNearlyFillTheFrame_LosesTheTextsFirstAndTheReasonToTheLog(int room, string? reason)
    {
        const string Large = "large";
        await using FakeRabbitMqHarness harness = await FakeRabbitMqHarness.ReceivingAsync();
        harness.Broker.HeaderLimit = Large.Length + 1_000 + room;
        Dictionary<string, object?> own = new(StringComparer.Ordinal) { [Large] = new string('x', 1_000) };
        harness.Broker.Publish(Queue, "a", properties: new BasicProperties { Headers = own });

        await (await harness.Intake.NextAsync()).SettleAsync(
            Settlement.DeadLetter("poison", $"a test's {new string('d', 2_000)}") with { Exception = new FormatException("no number") });
        await harness.AdvanceUntilAsync(() => harness.Broker.Ready(Letters).Count == 1, "The dead letter was not sent.");

        IDictionary<string, object?> headers = harness.Broker.Ready(Letters)[0].Properties.Headers!;
        headers.Keys.Order(StringComparer.Ordinal).ShouldBe(
            reason is null ? [Large] : ["dead-letter-deliveries", "dead-letter-queue", "dead-letter-reason", "dead-letter-time", Large]);
        headers.TryGetValue("dead-letter-reason", out object? sent).ShouldBe(reason is not null);
        sent.ShouldBe(reason);
        await harness.WaitUntilEmptyAsync();
        string? lost = harness.Log.Entries.Where(static entry => entry.Id.Id == 3361).Select(static entry => entry.Text).SingleOrDefault();
        (lost is null).ShouldBe(reason is not null);
        if (lost is not null)
        {
            lost.ShouldContain("message a ");
            lost.ShouldContain("poison: a test's");
        }

        await harness.FinishAsync();
    }

    [Fact]
    public async Task DeadLetter_ConnectionBreaksBeforeTheConfirmation_IsDeliveredAgain()
    {
        await using FakeRabbitMqHarness harness = await FakeRabbitMqHarness.ReceivingAsync();
        Delivery[] messages = await harness.ReceiveAsync("a");
        harness.Broker.ConfirmLate();
        await messages[0].SettleAsync(Settlement.DeadLetter("poison", "a test's"));
        await harness.Broker.UntilAsync(static broker => broker.Unconfirmed == 1);

        await harness.Broker.BreakAsync();
        harness.Broker.Confirm();

        await harness.AdvanceUntilAsync(() => harness.Intake.Accepted == 2, "The message was not delivered again.");
        harness.Broker.Acknowledged.ShouldBeEmpty();
        await (await harness.Intake.NextAsync()).SettleAsync(Settlement.DeadLetter("poison", "a test's"));
        await harness.WaitUntilEmptyAsync();
        harness.Broker.Ready(Letters).ShouldNotBeEmpty();
        harness.Broker.Mistakes.ShouldBeEmpty();
    }

    [Fact]
    public async Task DeadLetter_KilledBeforeItsAcknowledgement_IsThereTwiceAndNotLost()
    {
        await using FakeRabbitMqHarness harness = await FakeRabbitMqHarness.ReceivingAsync();
        Delivery[] messages = await harness.ReceiveAsync("a");
        HeldFrame acknowledgement = harness.Broker.Hold(nameof(IChannel.BasicAckAsync));
        await messages[0].SettleAsync(Settlement.DeadLetter("poison", "a test's"));
        await acknowledgement.Sent;

        await harness.ReopenAsync();
        acknowledgement.Release();
        await harness.StartAsync();

        Delivery again = await harness.Intake.NextAsync();
        again.Count.ShouldBe(2);
        await again.SettleAsync(Settlement.DeadLetter("poison", "a test's"));
        await harness.WaitUntilEmptyAsync();
        harness.Broker.Ready(Letters).Select(static letter => letter.Id).ShouldBe(["a", "a"]);
        harness.Broker.Acknowledged.ShouldBe(["a"]);
    }

    /// <summary>The client's frames fail with more than its own exceptions when a connection ends.</summary>
    [Fact]
    public async Task Close_ARejectHasFailed_Ends()
    {
        await using FakeRabbitMqHarness harness = await FakeRabbitMqHarness.ReceivingAsync();
        Delivery[] messages = await harness.ReceiveAsync("a");
        HeldFrame reject = harness.Broker.Hold(nameof(IChannel.BasicRejectAsync));
        reject.Fault = new System.Threading.Channels.ChannelClosedException();
        reject.Release();

        await messages[0].SettleAsync(Settlement.Abandon(TimeSpan.FromHours(1)));
        await harness.FinishAsync();

        harness.Broker.Ready(Queue).ShouldHaveSingleItem().Id.ShouldBe("a");
    }

    [Theory]
    [InlineData(null, 4)]
    [InlineData(2, 2)]
    [InlineData(8, 4)]
    public async Task Prefetch_SettingAndSlots_TheLowerOneHolds(int? prefetch, int expected)
    {
        await using FakeRabbitMqHarness harness = new(slots: 4, prefetch: prefetch);
        foreach (string id in (string[])["a", "b", "c", "d", "e", "f"])
        {
            harness.Broker.Publish(Queue, id);
        }

        await harness.StartAsync();
        await harness.Intake.UntilAcceptedAsync(expected);

        harness.Broker.Prefetch.ShouldBe(expected);
        harness.Broker.MaxUnacknowledged.ShouldBe(expected);
        harness.Broker.Ready(Queue).Count.ShouldBe(6 - expected);
    }

    /// <summary>A message that fails each time becomes a dead letter some time.</summary>
    [Theory]
    [InlineData("quorum")]
    [InlineData("classic")]
    public async Task Return_AgainAndAgain_EachDeliveryCountsOneMore(string type)
    {
        await using FakeRabbitMqHarness harness = await FakeRabbitMqHarness.ReceivingAsync(type: type);
        harness.Broker.Publish(Queue, "a");
        for (int delivery = 1; delivery <= 12; delivery++)
        {
            Delivery message = await harness.Intake.NextAsync();
            message.Count.ShouldBe(delivery);
            await message.SettleAsync(Settlement.Abandon(TimeSpan.Zero));
        }
    }

    [Theory]
    [InlineData("quorum", 4)]
    [InlineData("classic", 2)]
    public async Task Kill_AfterThreeDeliveries_TheNextIsNoFirstOne(string type, int count)
    {
        await using FakeRabbitMqHarness harness = await FakeRabbitMqHarness.ReceivingAsync(type: type);
        harness.Broker.Publish(Queue, "a");
        for (int delivery = 1; delivery < 3; delivery++)
        {
            await (await harness.Intake.NextAsync()).SettleAsync(Settlement.Abandon(TimeSpan.Zero));
        }

        await harness.Intake.NextAsync();
        await harness.ReopenAsync();
        await harness.StartAsync();

        (await harness.Intake.NextAsync()).Count.ShouldBe(count);
    }
}
