using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.RabbitMq;

/// <summary>A frame that acknowledges several deliveries must cover completed ones only.</summary>
public sealed class AcknowledgementsTests
{
    private const int Count = 600;

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(4)]
    [InlineData(5)]
    public async Task Settle_InAnyOrder_TheBrokerSeesWhatWasDecided(int seed)
    {
        Random random = new(seed);
        await using FakeRabbitMqHarness harness = await FakeRabbitMqHarness.ReceivingAsync(slots: 100);
        string[] ids = [.. Enumerable.Range(0, Count).Select(static number => $"{number}")];
        Array.ForEach(ids, id => harness.Broker.Publish(FakeRabbitMqHarness.Queue, id));
        List<Delivery> held = [];
        int completed = 0;
        int settled = 0;
        while (completed < Count)
        {
            while (held.Count < Math.Min(random.Next(1, 100), Count - completed))
            {
                // What is completed and not acknowledged takes a part of the prefetch.
                harness.Time.Advance(TimeSpan.FromMilliseconds(5));
                held.Add(await harness.Intake.NextAsync());
            }

            int at = random.Next(held.Count);
            Delivery one = held[at];
            held.RemoveAt(at);
            bool isCompleted = random.Next(4) != 0;
            await one.SettleAsync(isCompleted ? Settlement.Complete : Settlement.Abandon(TimeSpan.Zero));
            completed += isCompleted ? 1 : 0;
            settled++;
        }

        await harness.FinishAsync();

        harness.Broker.Mistakes.ShouldBeEmpty();
        harness.Broker.Acknowledged.Order(StringComparer.Ordinal).ShouldBe(ids.Order(StringComparer.Ordinal));
        harness.Broker.Frames.ShouldBeLessThan(settled);
    }

    [Fact]
    public async Task Complete_OnlyMessageInFlight_IsAcknowledgedImmediately()
    {
        await using FakeRabbitMqHarness harness = await FakeRabbitMqHarness.ReceivingAsync();
        Delivery[] messages = await harness.ReceiveAsync("a");

        await messages[0].SettleAsync(Settlement.Complete);

        harness.Broker.Acknowledged.ShouldBe(["a"]);
    }

    [Fact]
    public async Task Complete_OthersAreInFlight_WaitsForThemAndForNoLongerThanItsTime()
    {
        await using FakeRabbitMqHarness harness = await FakeRabbitMqHarness.ReceivingAsync();
        Delivery[] messages = await harness.ReceiveAsync("a", "b", "c", "d", "e");

        await messages[1].SettleAsync(Settlement.Complete);
        await messages[2].SettleAsync(Settlement.Complete);
        harness.Broker.Acknowledged.ShouldBeEmpty();
        harness.Time.Advance(TimeSpan.FromMilliseconds(5));

        harness.Broker.Acknowledged.ShouldBe(["b", "c"]);
        harness.Broker.Mistakes.ShouldBeEmpty();
    }

    [Fact]
    public async Task Return_WithADelay_KeepsTheMessageUntilThen()
    {
        await using FakeRabbitMqHarness harness = await FakeRabbitMqHarness.ReceivingAsync();
        Delivery[] messages = await harness.ReceiveAsync("a", "b");

        await messages[0].SettleAsync(Settlement.Abandon(TimeSpan.FromSeconds(3)));
        await messages[1].SettleAsync(Settlement.Complete);
        harness.Time.Advance(TimeSpan.FromSeconds(2));
        (harness.Broker.Unacknowledged, harness.Broker.Frames).ShouldBe((1, 1));
        harness.Time.Advance(TimeSpan.FromSeconds(1));

        (await harness.Intake.NextAsync()).Count.ShouldBe(2);
        harness.Broker.Acknowledged.ShouldBe(["b"]);
        harness.Broker.Mistakes.ShouldBeEmpty();
    }
}
