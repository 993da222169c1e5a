using Quayside.Messaging.Configuration;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.RabbitMq;

/// <summary>A quorum queue without a dead-letter exchange drops what exceeds its delivery limit, and tells no consumer.</summary>
public sealed class DeliveryLimitTests
{
    private const string Queue = FakeRabbitMqHarness.Queue;
    private const int Event = 3359;

    [Theory]
    [InlineData("none", "x-delivery-limit")]
    [InlineData("further", "x-max-length", "x-overflow", "x-single-active-consumer", "x-delivery-limit")]
    public async Task Start_LowLimit_WarnsAndNamesWhatToChange(string further, params string[] names)
    {
        await using FakeRabbitMqHarness harness =
            With(further == "none" ? [("x-delivery-limit", 5)] : [(names[0], 100), (names[1], "reject-publish"), (names[2], true), (names[3], 5)]);

        await harness.StartAsync();

        string warning = harness.Source.Warning.ShouldNotBeNull();
        warning.ShouldStartWith($"Queue {Queue} drops a message that is redelivered more than 5 time(s) (x-delivery-limit)");
        warning.ShouldContain("Set dead-letter-exchange in a policy");
        LogEntry line = harness.Log.Entries.Where(static entry => entry.Id.Id == Event).ShouldHaveSingleItem();
        (line.Level, line.Text).ShouldBe((Microsoft.Extensions.Logging.LogLevel.Warning, $"Route archive: {warning}"));
        harness.Source.Problem.ShouldBeNull();
    }

    [Theory]
    [InlineData("quorum", "x-dead-letter-exchange", "")]
    [InlineData("quorum", "x-delivery-limit", 1_000)]
    [InlineData("classic", "x-max-length", 100)]
    public async Task Start_NothingIsDropped_WarnsNotEvenOfARedelivery(string type, string name, object value)
    {
        FakeRabbitMq broker = new();
        broker.Declare(Queue, type, null, (name, value));
        await using FakeRabbitMqHarness harness = await FakeRabbitMqHarness.ReceivingAsync(broker);
        await ReturnAsync(harness, times: 20);

        harness.Source.Warning.ShouldBeNull();
        harness.Log.Entries.ShouldNotContain(static entry => entry.Id.Id == Event);
    }

    /// <summary>A policy's limit, or one that the user has no right to ask for, may be as low as 1.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Redelivered_LimitIsUnknown_WarnsOfTheFirstAndNearTheDefault(bool allowsDeclaring)
    {
        FakeRabbitMq broker = new() { AllowsDeclaring = allowsDeclaring };
        broker.Declare(Queue, policyLimit: 20);
        await using FakeRabbitMqHarness harness = await FakeRabbitMqHarness.ReceivingAsync(broker);
        harness.Source.Warning.ShouldBeNull();

        await ReturnAsync(harness, times: 1);
        harness.Source.Warning
            .ShouldNotBeNull()
            .ShouldStartWith(
                $"A message of queue {Queue} is on delivery 2. A quorum queue drops a message that exceeds its delivery limit, from RabbitMQ 4 on 20 by "
                    + "default, unless it has a dead-letter exchange.");
        harness.Time.Advance(TimeSpan.FromMinutes(15));
        harness.Source.Warning.ShouldBeNull();

        await ReturnAsync(harness, times: 13);
        harness.Source.Warning.ShouldBeNull();
        await ReturnAsync(harness, times: 1);
        harness.Source.Warning.ShouldNotBeNull().ShouldStartWith($"A message of queue {Queue} is on delivery 16.");
        harness.Log.Entries.Count(static entry => entry.Id.Id == Event).ShouldBe(2);
    }

    [Fact]
    public async Task Redelivered_NearAKnownLimit_NamesTheLastDelivery()
    {
        await using FakeRabbitMqHarness harness = With([("x-delivery-limit", 40)]);
        await harness.StartAsync();

        await ReturnAsync(harness, times: 29);
        harness.Source.Warning.ShouldBeNull();
        await ReturnAsync(harness, times: 1);

        harness.Source.Warning
            .ShouldNotBeNull()
            .ShouldStartWith($"A message of queue {Queue} is on delivery 31. The queue drops it after delivery 41 unless it has a dead-letter exchange.");
    }

    [Fact]
    public async Task Start_FromAStream_Ends()
    {
        FakeRabbitMq broker = new();
        broker.Declare(Queue, "stream");
        await using FakeRabbitMqHarness harness = new(broker);

        StartupException refused = await Should.ThrowAsync<StartupException>(harness.StartAsync());

        refused.ExitCode.ShouldBe(78);
        refused.Message.ShouldContain("use a quorum or classic queue");
    }

    private static FakeRabbitMqHarness With((string Name, object Value)[] arguments)
    {
        FakeRabbitMq broker = new();
        broker.Declare(Queue, "quorum", null, arguments);
        return new FakeRabbitMqHarness(broker);
    }

    // The message stays with the intake, so that the next call returns it again.
    private static async Task ReturnAsync(FakeRabbitMqHarness harness, int times)
    {
        if (harness.Broker.Unacknowledged == 0)
        {
            harness.Broker.Publish(Queue, "a");
        }

        for (int time = 0; time < times; time++)
        {
            await (await harness.Intake.NextAsync()).SettleAsync(Settlement.Abandon(TimeSpan.Zero));
        }

        await harness.Broker.UntilAsync(static broker => broker.Unacknowledged == 1);
    }
}
