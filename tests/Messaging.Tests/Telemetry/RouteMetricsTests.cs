using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Telemetry;

public sealed class RouteMetricsTests
{
    private readonly string _route = $"route-{Guid.NewGuid():n}";

    [Fact]
    public void Totals_EveryOutcome_IsCountedAndTheBalanceIsZero()
    {
        RouteMetrics metrics = new(_route);

        for (int i = 0; i < 5; i++)
        {
            metrics.MessagesReceived(1);
        }

        metrics.MessageDuplicate();
        metrics.MessageSettled(Settlement.Complete, TimeSpan.Zero);
        metrics.MessageSettled(Settlement.Complete, TimeSpan.Zero);
        metrics.MessageSettled(Settlement.DeadLetter("bad", "x"), TimeSpan.Zero);
        metrics.MessageSettled(Settlement.Abandon(TimeSpan.Zero), TimeSpan.Zero);
        metrics.MessageSettled(default, TimeSpan.Zero);

        metrics.Totals.ShouldBe(new RouteTotals(Received: 5, Stored: 2, Duplicates: 1, Returned: 2, DeadLetters: 1));
    }

    [Fact]
    public void Totals_SourceWritesItsDeadLettersItself_CountsThemWhenTheyAreWritten()
    {
        RouteMetrics metrics = new(_route);
        RouteMetrics ofSource = metrics.ForSource(new MessageDestination("http", _route), countsDecidedDeadLetters: false);

        for (int i = 0; i < 3; i++)
        {
            ofSource.MessagesReceived(1);
            ofSource.MessageSettled(Settlement.DeadLetter("bad", "x"), TimeSpan.Zero);
        }

        metrics.Totals.DeadLetters.ShouldBe(0);
        metrics.DeadLetterWritten("bad");
        metrics.MessageReturned();
        metrics.MessagesLost(1);
        metrics.Totals.ShouldBe(new RouteTotals(Received: 3, Stored: 0, Duplicates: 0, Returned: 1, DeadLetters: 1, Lost: 1));
    }

    [Fact]
    public void Instruments_WithAListener_ReportWithTheRoute()
    {
        RouteMetrics metrics = new(_route);
        ConcurrentQueue<string> seen = new();
        using MeterListener listener = Listen(seen);

        metrics.MessagesReceived(1);
        metrics.MessageDuplicate();
        metrics.MessageTimedOut();
        metrics.MessageSettled(Settlement.Complete, TimeSpan.FromMilliseconds(1_500));
        metrics.MessageSettled(Settlement.DeadLetter("malformed", "x"), TimeSpan.Zero);
        metrics.MessageSettled(Settlement.Abandon(TimeSpan.Zero), TimeSpan.Zero);

        seen.ShouldBe([
            "worker.messages.timeouts=1",
            "messaging.process.duration=1.5",
            "worker.messages.dead_letters=1 worker.reason=malformed",
            "messaging.process.duration=0 error.type=malformed",
            "messaging.process.duration=0 error.type=abandoned",
        ]);
        metrics.Publish(() => false, () => false, () => 7);
        seen.Clear();
        listener.RecordObservableInstruments();
        metrics.Unpublish();
        seen.ShouldBe(
            [
                "messaging.client.consumed.messages=1",
                "worker.messages.duplicates=1",
                "worker.messages.stored=1",
                "worker.messages.returned=1",
                "worker.settlements.failed=0",
                "worker.route.stuck=0", "worker.route.paused=0", "worker.dead_letter_queue.messages=7",
            ],
            ignoreOrder: true);
    }

    [Fact]
    public void Instruments_ListenerThrows_StoresAndDeadLettersAreCountedAnyway()
    {
        RouteMetrics metrics = new(_route);
        ConcurrentQueue<string> seen = new();
        using MeterListener listener = Listen(seen, new InvalidOperationException("a bug"));

        metrics.StoreEnded(RouteMetrics.StoreStarts());
        metrics.DeadLetterWritten("malformed");

        seen.Select(value => value.Split('=')[0]).ShouldBe(["worker.sink.duration", "worker.messages.dead_letters"]);
        metrics.Totals.DeadLetters.ShouldBe(1);
    }

    [Fact]
    public void Instruments_OfASource_HaveTheAttributesOfTheMessagingConventions()
    {
        RouteMetrics route = new(_route);
        RouteMetrics metrics = route.ForSource(new MessageDestination("aws_sqs", "orders"), countsDecidedDeadLetters: true);
        RouteMetrics other = route.ForSource(new MessageDestination("http", _route), countsDecidedDeadLetters: true);
        ConcurrentQueue<string> seen = new();
        using MeterListener listener = Listen(seen);

        metrics.MessagesReceived(1);
        other.MessagesReceived(1);
        other.MessagesReceived(1);
        metrics.MessageSettled(Settlement.Transient("x"), TimeSpan.Zero);
        route.Publish(() => false, () => false);
        listener.RecordObservableInstruments();
        route.Unpublish();

        seen.Where(value => value.StartsWith("messaging.", StringComparison.Ordinal)).ShouldBe([
            "messaging.process.duration=0 messaging.operation.name=process messaging.system=aws_sqs messaging.destination.name=orders error.type=transient",
            "messaging.client.consumed.messages=1 messaging.operation.name=receive messaging.system=aws_sqs messaging.destination.name=orders",
            $"messaging.client.consumed.messages=2 messaging.operation.name=receive messaging.system=http messaging.destination.name={_route}",
        ]);
        route.Totals.Received.ShouldBe(3);
    }

    [Fact]
    public void Gauges_Collected_AreComputedOnCollection()
    {
        RouteMetrics metrics = new(_route);
        int inFlight = 0;
        metrics.Publish(new InletGauges("sqs", () => 64, () => inFlight, () => 2, () => 2.5, () => 1, () => 4_096, () => true, () => 4));
        metrics.Publish(() => true, () => true);
        ConcurrentQueue<string> seen = new();
        using MeterListener listener = Listen(seen);

        inFlight = 7;
        listener.RecordObservableInstruments();
        metrics.Unpublish();
        listener.RecordObservableInstruments();

        seen
            .Where(value => value.Contains("worker.source", StringComparison.Ordinal)
                || value.Contains("stuck", StringComparison.Ordinal)
                || value.Contains("paused", StringComparison.Ordinal))
            .ShouldBe(
                [
                    "worker.route.paused=1",
                    "worker.messages.limit=64 worker.source=sqs",
                    "worker.source.failing=1 worker.source=sqs",
                    "worker.route.stuck=1",
                    "worker.messages.in_flight=7 worker.source=sqs",
                    "worker.messages.held=2 worker.source=sqs",
                    "worker.bytes.in_flight=4096 worker.source=sqs",
                    "worker.messages.oldest_age=2.5 worker.source=sqs",
                    "worker.breaker.state=1 worker.source=sqs",
                    "worker.settlements.slow=4 worker.source=sqs",
                ],
                ignoreOrder: true);
    }

    /// <summary>Other tests use the same meter at the same time, so only values of this test's route are kept.</summary>
    /// <param name="seen">Gets the values.</param>
    /// <param name="failure">Thrown after each value, as a listener with a bug does; null for none.</param>
    private MeterListener Listen(ConcurrentQueue<string> seen, Exception? failure = null)
    {
        MeterListener listener = new()
        {
            InstrumentPublished = static (instrument, self) =>
            {
                if (instrument.Meter.Name == RouteMetrics.SourceName)
                {
                    self.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) => Keep(instrument.Name, value, tags));
        listener.SetMeasurementEventCallback<int>((instrument, value, tags, _) => Keep(instrument.Name, value, tags));
        listener.SetMeasurementEventCallback<double>((instrument, value, tags, _) => Keep(instrument.Name, value, tags));
        listener.Start();
        return listener;

        void Keep<T>(string name, T value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
        {
            KeyValuePair<string, object?>[] all = tags.ToArray();
            if (all.Contains(new KeyValuePair<string, object?>("worker.route", _route)))
            {
                seen.Enqueue(string.Join(' ', all.Where(tag => tag.Key != "worker.route").Select(tag => $"{tag.Key}={tag.Value}").Prepend($"{name}={value}")));
                if (failure is not null)
                {
                    throw failure;
                }
            }
        }
    }
}
