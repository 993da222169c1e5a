using Messaging.Sinks;

namespace Worker.Tests.Outages;

/// <summary>An outage of the sink costs a message of an SQS queue no delivery, and never its place in the queue.</summary>
[Collection(OneThreadCollection.Name)]
public sealed class SqsOutageTests
{
    private static readonly TimeSpan Outage = TimeSpan.FromMinutes(10);
    private static readonly TimeSpan Recovery = TimeSpan.FromMinutes(1);

    private const int HeldBeyondLimit = 3214;

    [Fact]
    public async Task Outage_LongerThanMaxHoldTime_AbandonsUpToHalfOfMaxReceiveCountThenHolds()
    {
        await using SqsOutage outage = SqsOutage.Create(maxHoldTime: TimeSpan.FromMinutes(1), maxReceiveCount: 6);
        outage.Sink.Fault = _ => SinkStatus.Transient;
        outage.Queue.Send("a");
        await outage.Route.StartAsync();

        await outage.Route.PassAsync(TimeSpan.FromSeconds(50));
        outage.Queue.DeliveriesOf("a").ShouldBe(1);
        await outage.Route.PassUntilAsync(() => outage.Queue.DeliveriesOf("a") == 3, Outage, "MaxHoldTime did not abandon the message.");
        outage.Route.Route.Metrics.Totals.Returned.ShouldBe(2);
        await outage.Route.PassAsync(TimeSpan.FromMinutes(15));

        outage.Queue.DeliveriesOf("a").ShouldBe(3);
        outage.Queue.Dead.ShouldBeEmpty();
        outage.Route.Log.Entries.ShouldContain(entry => entry.Id.Id == HeldBeyondLimit);
        outage.Sink.Fault = _ => null;
        await outage.Route.PassUntilAsync(() => outage.Queue.Count == 0, Recovery, "The message was not stored after the outage.");
        (await outage.Route.DrainAsync()).ShouldBeTrue();
        await outage.ShouldReturnItsBuffersAsync();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Stop_DuringAnOutage_ReturnsHeldMessagesImmediately(bool isFifo)
    {
        await using SqsOutage outage = SqsOutage.Create(isFifo);
        outage.Sink.Fault = _ => SinkStatus.Transient;
        for (int number = 0; number < 10; number++)
        {
            outage.Queue.Send($"m{number}", isFifo ? $"{number % 2}" : null);
        }

        await outage.Route.StartAsync();
        await outage.Route.PassUntilAsync(() => outage.Route.Route.InFlight >= (isFifo ? 2 : 10), Outage, "Nothing was received.");
        await outage.Route.PassAsync(TimeSpan.FromSeconds(30));

        DateTimeOffset stop = outage.Route.Time.GetUtcNow();
        (await outage.Route.DrainAsync()).ShouldBeTrue("Held messages do not use the drain's time up.");

        (outage.Route.Time.GetUtcNow() - stop).ShouldBeLessThan(TimeSpan.FromSeconds(20));
        outage.Queue.Visible.Count.ShouldBe(10);
        outage.Queue.MaxDeliveries.ShouldBe(1);
        outage.Route.Route.InFlight.ShouldBe(0);
    }
}
