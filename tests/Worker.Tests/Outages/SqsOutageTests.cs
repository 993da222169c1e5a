using Messaging.Sinks;

namespace Worker.Tests.Outages;

/// <summary>An outage of the sink costs a message of an SQS queue no delivery, and never its place in the queue.</summary>
[Collection(OneThreadCollection.Name)]
public sealed class SqsOutageTests
{
    private static readonly TimeSpan Outage = TimeSpan.FromMinutes(10);
    private static readonly TimeSpan Recovery = TimeSpan.FromMinutes(1);

    private const int HeldBeyondLimit = 3214;

    [Theory]
    [InlineData("Transient")]
    [InlineData("Refused")]
    public async Task StandardQueue_SinkDownForTenMinutes_NoMessageIsDeliveredTwice(string status)
    {
        await using SqsOutage outage = SqsOutage.Create();
        SinkStatus fault = Enum.Parse<SinkStatus>(status);
        outage.Sink.Fault = _ => fault;
        string[] names = [.. Enumerable.Range(0, 5).Select(number => $"m{number}")];
        Array.ForEach(names, name => outage.Queue.Send(name));
        await outage.Route.StartAsync();

        await outage.Route.PassAsync(Outage);

        outage.Queue.Dead.ShouldBeEmpty();
        outage.Queue.MaxDeliveries.ShouldBe(1);
        outage.Route.Route.Metrics.Totals.Returned.ShouldBe(0);

        // One attempt at the beginning and one probe per five seconds, however many messages wait.
        outage.Sink.Attempts.ShouldBeInRange(50, 200);
        outage.Sink.Fault = _ => null;
        await outage.Route.PassUntilAsync(() => outage.Queue.Count == 0, Recovery, "Not all messages were stored after the outage.");
        outage.Sink.Stored.ShouldBe(names, ignoreOrder: true);
        (await outage.Route.DrainAsync()).ShouldBeTrue();
        await outage.ShouldReturnItsBuffersAsync();
        outage.Route.Route.Metrics.Totals.Received.ShouldBe(5);
    }

    [Fact]
    public async Task FifoQueue_SinkDownForTenMinutes_NoMessageIsDeliveredTwiceAndTheOrderIsKept()
    {
        await using SqsOutage outage = SqsOutage.Create(isFifo: true);
        outage.Sink.Fault = _ => SinkStatus.Transient;
        for (int number = 0; number < 30; number++)
        {
            outage.Queue.Send($"{number % 4}-{number:00}", group: $"{number % 4}");
        }

        await outage.Route.StartAsync();
        await outage.Route.PassAsync(Outage);

        outage.Queue.Dead.ShouldBeEmpty();
        outage.Queue.MaxDeliveries.ShouldBe(1);
        outage.Sink.Fault = _ => null;
        await outage.Route.PassUntilAsync(() => outage.Queue.Count == 0, Recovery, "Not all messages were stored after the outage.");
        foreach (IGrouping<char, string> group in outage.Sink.Stored.GroupBy(name => name[0]))
        {
            group.ShouldBe(group.Order(StringComparer.Ordinal));
        }

        outage.Sink.Stored.Count.ShouldBe(30);
        (await outage.Route.DrainAsync()).ShouldBeTrue();
        await outage.ShouldReturnItsBuffersAsync();
    }

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
    public async Task Stop_DuringAnOutage_ReturnsHeldMessagesAtOnce(bool isFifo)
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

    [Fact]
    public async Task SinkFailsForSomeKeysOnly_TheOthersAreStoredAndTheFailingOnesWaitAtTheQueue()
    {
        await using SqsOutage outage = SqsOutage.Create();
        outage.Sink.Fault = name => name.StartsWith("bad", StringComparison.Ordinal) ? SinkStatus.Transient : null;
        for (int number = 0; number < 80; number++)
        {
            outage.Queue.Send(number % 2 == 0 ? $"bad{number}" : $"good{number}");
        }

        await outage.Route.StartAsync();
        await outage.Route.PassUntilAsync(() => outage.Sink.Stored.Count == 40, TimeSpan.FromMinutes(10), "The failing messages hold the others up.");
        await outage.Route.PassAsync(TimeSpan.FromMinutes(1));

        outage.Queue.Dead.ShouldBeEmpty();
        outage.Queue.MaxDeliveries.ShouldBeLessThanOrEqualTo(2);
        (await outage.Route.DrainAsync()).ShouldBeTrue();
        await outage.ShouldReturnItsBuffersAsync();
    }
}
