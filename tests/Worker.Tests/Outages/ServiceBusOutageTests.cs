using Messaging.Sinks;

namespace Worker.Tests.Outages;

/// <summary>An outage of the sink costs a message of a Service Bus queue no delivery.</summary>
[Collection(OneThreadCollection.Name)]
public sealed class ServiceBusOutageTests
{
    private static readonly TimeSpan Outage = TimeSpan.FromMinutes(10);
    private static readonly TimeSpan Recovery = TimeSpan.FromMinutes(1);

    private const int HeldBeyondLimit = 3310;

    [Fact]
    public async Task Outage_LongerThanMaxLockRenewal_AbandonsUpToHalfOfMaxDeliveryCountThenHolds()
    {
        await using ServiceBusOutage outage = new(maxLockRenewal: TimeSpan.FromMinutes(3));
        outage.Sink.Fault = _ => SinkStatus.Transient;
        outage.Send("a");
        await outage.Route.StartAsync();

        await outage.Route.PassAsync(TimeSpan.FromSeconds(150));
        outage.Bus.MaxDeliveries.ShouldBe(1);
        await outage.Route.PassUntilAsync(() => outage.Bus.MaxDeliveries == 5, TimeSpan.FromHours(1), "MaxLockRenewal did not abandon the message.");
        outage.Route.Route.Metrics.Totals.Returned.ShouldBe(4);
        await outage.Route.PassAsync(TimeSpan.FromMinutes(15));

        outage.Bus.MaxDeliveries.ShouldBe(5);
        outage.Bus.Letters.ShouldBeEmpty();
        outage.Route.Log.Entries.ShouldContain(entry => entry.Id.Id == HeldBeyondLimit);
        outage.Sink.Fault = _ => null;
        await outage.Route.PassUntilAsync(() => outage.Bus.Count == 0, Recovery, "The message was not stored after the outage.");
        (await outage.Route.DrainAsync()).ShouldBeTrue();
    }

    [Fact]
    public async Task Stop_DuringAnOutage_AbandonsHeldMessagesImmediately()
    {
        await using ServiceBusOutage outage = new();
        outage.Sink.Fault = _ => SinkStatus.Transient;
        outage.Send("a");
        outage.Send("b");
        await outage.Route.StartAsync();
        await outage.Route.PassUntilAsync(() => outage.Route.Route.InFlight == 2, Outage, "Nothing was received.");
        await outage.Route.PassAsync(TimeSpan.FromSeconds(30));

        DateTimeOffset stop = outage.Route.Time.GetUtcNow();
        (await outage.Route.DrainAsync()).ShouldBeTrue("Held messages do not use the drain's time up.");

        (outage.Route.Time.GetUtcNow() - stop).ShouldBeLessThan(TimeSpan.FromSeconds(20));
        outage.Bus.Calls.Select(call => call.Operation).ShouldBe(["Abandon", "Abandon"]);
        outage.Bus.Locked.ShouldBe(0);
        outage.Bus.MaxDeliveries.ShouldBe(1);
    }
}
