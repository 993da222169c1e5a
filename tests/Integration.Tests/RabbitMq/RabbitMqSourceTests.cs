using Integration.Tests.Servers;
using Integration.Tests.Worker;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Sources;
using Quayside.Pipeline.Settlements;
using RabbitMQ.Client;

namespace Integration.Tests.RabbitMq;

/// <summary>What RabbitMQ has and other queues do not: headers that anyone may set, counts of quorum queues only, consumers that the broker cancels.</summary>
public sealed class RabbitMqSourceTests(RabbitMqServer server)
{
    private static readonly byte[] Body = "{}"u8.ToArray();

    [Theory]
    [InlineData("many")]
    [InlineData(7L)]
    public async Task Receive_SenderSetTheCountOfDeliveries_IsAFirstDelivery(object count)
    {
        await using RabbitMqSourceHarness harness = await RabbitMqSourceHarness.CreateAsync(server.Require());
        await harness.StartAsync();
        await harness.PublishAsync(
            Body, new BasicProperties { Headers = new Dictionary<string, object?>(StringComparer.Ordinal) { ["x-delivery-count"] = count } });

        Delivery delivery = await harness.Intake.NextAsync();

        delivery.Count.ShouldBe(1);
        await delivery.SettleAsync(Settlement.Complete);
        await harness.WaitUntilEmptyAsync();
        await harness.FinishAsync();
    }

    [Fact]
    public async Task CountDeadLetters_AfterTwo_IsTwo()
    {
        await using RabbitMqSourceHarness harness = await RabbitMqSourceHarness.CreateAsync(server.Require());
        (await harness.Source.CountDeadLettersAsync(CancellationToken.None)).ShouldBeNull();
        await harness.StartAsync();
        foreach (string id in (string[])["a", "b"])
        {
            await harness.PublishAsync(Body, id);
            await (await harness.Intake.NextAsync()).SettleAsync(Settlement.DeadLetter("poison", "a test's"));
        }

        await Eventually.BecomesTrueAsync(async () => await harness.Source.CountDeadLettersAsync(CancellationToken.None) == 2, "two dead letters are counted");
        await harness.FinishAsync();
    }

    /// <summary>Copied as they are, these would route the dead letter to further queues, have it refused, or let it expire.</summary>
    [Fact]
    public async Task DeadLetter_PropertiesOfTheDelivery_AreNotCopied()
    {
        await using RabbitMqSourceHarness harness = await RabbitMqSourceHarness.CreateAsync(server.Require());
        await using RabbitMqQueue other = await RabbitMqQueue.CreateAsync(harness.Queue.Address);
        await harness.StartAsync();
        await harness.PublishAsync(Body, new BasicProperties
        {
            MessageId = "letter",
            Expiration = "60000",
            UserId = "guest",
            CorrelationId = "c-1",
            Headers = new Dictionary<string, object?>(StringComparer.Ordinal) { ["CC"] = new List<object> { other.Name }, ["tenant"] = "north" },
        });
        await other.WaitForAsync(1);
        Delivery delivery = await harness.Intake.NextAsync();

        await delivery.SettleAsync(
            Settlement.DeadLetter("tried", "It failed.", "System.FormatException") with { Exception = new FormatException("no number") });

        BasicGetResult letter = (await harness.Queue.TakeDeadLettersAsync(1)).ShouldHaveSingleItem();
        RabbitMqQueue.Header(letter, "dead-letter-reason").ShouldBe("tried");
        RabbitMqQueue.Header(letter, "dead-letter-description").ShouldBe("It failed.");
        RabbitMqQueue.Header(letter, "dead-letter-exception-type").ShouldBe("System.FormatException");
        RabbitMqQueue.Header(letter, "dead-letter-exception")!.ShouldContain("no number");
        RabbitMqQueue.Header(letter, "dead-letter-deliveries").ShouldBe("1");
        RabbitMqQueue.Header(letter, "dead-letter-queue").ShouldBe(harness.Queue.Name);
        RabbitMqQueue.Header(letter, "tenant").ShouldBe("north");
        letter.BasicProperties.CorrelationId.ShouldBe("c-1");
        letter.BasicProperties.IsExpirationPresent().ShouldBeFalse();
        letter.BasicProperties.IsUserIdPresent().ShouldBeFalse();
        (await other.CountAsync()).ShouldBe(1u);
        await harness.FinishAsync();
    }

    /// <summary>All headers share one frame, of 128 KiB by default; the message's own leave no room for the texts, or for none of the dead letter's.</summary>
    [Theory]
    [InlineData(500, "tried")]
    [InlineData(150, null)]
    public async Task DeadLetter_HeadersNearlyFillTheFrame_LosesWhatHasNoRoom(int room, string? reason)
    {
        await using RabbitMqSourceHarness harness = await RabbitMqSourceHarness.CreateAsync(server.Require());
        await harness.StartAsync();
        string large = new('x', (128 << 10) - room);
        await harness.PublishAsync(
            Body, new BasicProperties { MessageId = "large", Headers = new Dictionary<string, object?>(StringComparer.Ordinal) { ["large"] = large } });
        Delivery delivery = await harness.Intake.NextAsync();

        await delivery.SettleAsync(
            Settlement.DeadLetter("tried", new string('d', 2_000), "System.FormatException") with { Exception = new FormatException("no number") });

        BasicGetResult letter = (await harness.Queue.TakeDeadLettersAsync(1)).ShouldHaveSingleItem();
        RabbitMqQueue.Header(letter, "large").ShouldBe(large);
        RabbitMqQueue.Header(letter, "dead-letter-reason").ShouldBe(reason);
        RabbitMqQueue.Header(letter, "dead-letter-description").ShouldBeNull();

        // The confirmation comes after the message.
        await Eventually.BecomesTrueAsync(() => harness.Source.Problem is null, "dead letters can be sent");
        await harness.FinishAsync();
    }

    [Fact]
    public async Task DeadLetter_QueueForThemIsMissing_KeepsTheMessageUntilThereIsOne()
    {
        await using RabbitMqSourceHarness harness = await RabbitMqSourceHarness.CreateAsync(server.Require());
        await harness.StartAsync();
        await harness.Queue.Channel.QueueDeleteAsync(harness.Queue.DeadLetters);
        await harness.PublishAsync(Body, "kept");
        Delivery delivery = await harness.Intake.NextAsync();

        await delivery.SettleAsync(Settlement.DeadLetter("tried", "It failed."));
        await Eventually.BecomesTrueAsync(() => harness.Source.Problem is not null, "the source says that it cannot send dead letters");
        harness.Source.Problem!.ShouldContain("NO_ROUTE");
        await harness.Queue.Channel.QueueDeclareAsync(harness.Queue.DeadLetters, durable: true, exclusive: false, autoDelete: false);

        (await harness.Queue.TakeDeadLettersAsync(1)).ShouldHaveSingleItem().BasicProperties.MessageId.ShouldBe("kept");

        // The confirmation comes after the message.
        await Eventually.BecomesTrueAsync(() => harness.Source.Problem is null, "dead letters can be sent again");
        await harness.FinishAsync();
    }

    [Fact]
    public async Task Receive_QueueIsDeletedAndCreatedAgain_ReceivesAgain()
    {
        await using RabbitMqSourceHarness harness = await RabbitMqSourceHarness.CreateAsync(server.Require());
        await harness.StartAsync();
        await harness.PublishAsync(Body, "before");
        await (await harness.Intake.NextAsync()).SettleAsync(Settlement.Complete);

        await harness.Queue.Channel.QueueDeleteAsync(harness.Queue.Name);
        await Eventually.BecomesTrueAsync(
            () => harness.Source.Problem?.Contains("NOT_FOUND", StringComparison.Ordinal) == true, "the source says that the queue is missing");
        await harness.Queue.DeclareAsync();
        await harness.PublishAsync(Body, "after");

        Delivery delivery = await harness.Intake.NextAsync();
        delivery.Id.ShouldBe("after");
        await delivery.SettleAsync(Settlement.Complete);
        harness.Source.Problem.ShouldBeNull();
        await harness.FinishAsync();
    }

    /// <summary>A new connection would skip what the stream already has.</summary>
    [Fact]
    public async Task Start_FromAStream_Ends()
    {
        await using RabbitMqSourceHarness harness = await RabbitMqSourceHarness.CreateAsync(server.Require(), "stream");

        StartupException refused = await Should.ThrowAsync<StartupException>(harness.StartAsync());

        refused.ExitCode.ShouldBe(78);
        refused.Message.ShouldContain("a stream cannot be used");
    }

    /// <summary>The broker drops what exceeds the limit without a word, so the source asks for it.</summary>
    [Fact]
    public async Task Start_QueueHasALowDeliveryLimit_Warns()
    {
        await using RabbitMqSourceHarness harness = await RabbitMqSourceHarness.CreateAsync(server.Require());
        foreach ((string? warning, (string, object?)[] arguments) in ((string?, (string, object?)[])[])
        [
            ("redelivered more than 5 time(s)", [("x-delivery-limit", 5)]),
            ("redelivered more than 5 time(s)",
                [("x-delivery-limit", 5), ("x-max-length", 100), ("x-overflow", "reject-publish"), ("x-single-active-consumer", true), ("x-expires", 600_000)]),
            (null, [("x-delivery-limit", 5), ("x-dead-letter-exchange", string.Empty)]),
            (null, [("x-delivery-limit", 1_000)]),
            (null, []),
        ])
        {
            await harness.Queue.Channel.QueueDeleteAsync(harness.Queue.Name);
            await harness.Queue.DeclareAsync("quorum", arguments);
            await using IMessageSource source = harness.OpenAnother();

            await source.CheckAsync(TestContext.Current.CancellationToken);

            if (warning is null)
            {
                source.Warning.ShouldBeNull();
            }
            else
            {
                source.Warning.ShouldNotBeNull().ShouldContain(warning);
            }
        }
    }

    /// <summary>The messages that wait for slots belong to the connection: without it they are delivered again, and must not be processed twice.</summary>
    [Fact]
    public async Task Receive_ConnectionEndsWhileNoSlotIsFree_SaysSoAndForgetsWhatWaits()
    {
        await using RabbitMqSourceHarness harness = await RabbitMqSourceHarness.CreateAsync(server.Require());
        await harness.StartAsync();
        List<Delivery> held = [];
        for (int i = 0; i < RabbitMqSourceHarness.Slots; i++)
        {
            await harness.PublishAsync(Body, $"held-{i}");
            held.Add(await harness.Intake.NextAsync());
        }

        await harness.InterruptAsync();
        await Eventually.BecomesTrueAsync(
            () => harness.Source.Problem is not null, "the source says that the connection is lost, although the route has no slots");
        foreach (Delivery delivery in held)
        {
            await delivery.SettleAsync(Settlement.Complete);
        }

        HashSet<string> again = [];
        for (int i = 0; i < RabbitMqSourceHarness.Slots; i++)
        {
            Delivery delivery = await harness.Intake.NextAsync();
            again.Add(delivery.Id).ShouldBeTrue();
            await delivery.SettleAsync(Settlement.Complete);
        }

        await harness.FinishAsync();
    }

    /// <summary>Settlements out of order: none is acknowledged for another, so none is left and none is delivered twice.</summary>
    [Fact]
    public async Task Settle_OutOfOrder_AcknowledgesEachOnce()
    {
        await using RabbitMqSourceHarness harness = await RabbitMqSourceHarness.CreateAsync(server.Require());
        await harness.StartAsync();
        const int Count = 2_000;
        Task sending = Task.WhenAll(Enumerable.Range(0, Count).Select(number => harness.PublishAsync(Body, $"m-{number}")));
        Random random = new(4711);
        List<Delivery> waiting = [];
        HashSet<string> ids = [];
        for (int received = 0; received < Count; received++)
        {
            Delivery delivery = await harness.Intake.NextAsync();
            delivery.Count.ShouldBe(1);
            ids.Add(delivery.Id).ShouldBeTrue();
            waiting.Add(delivery);
            if (waiting.Count == 60 || received == Count - 1)
            {
                foreach (Delivery one in waiting.OrderBy(_ => random.Next()))
                {
                    await one.SettleAsync(Settlement.Complete);
                }

                waiting.Clear();
            }
        }

        await sending;
        await harness.WaitUntilEmptyAsync();
        await harness.FinishAsync();
        (await harness.Queue.CountAsync()).ShouldBe(0u);
    }
}
