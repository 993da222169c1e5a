using System.Diagnostics.Metrics;
using Pipeline.Settlements;

namespace Messaging.Telemetry;

/// <summary>
/// Counts what happens to a route's messages: as OpenTelemetry metrics (messaging semantic conventions where there is one; free
/// without a listener) and as plain totals for reports. The balance received - (stored + dead letters + returned) - in flight is 0.
/// Threads: any.
/// </summary>
public sealed class RouteMetrics
{
    /// <summary>The name of the meter and of the activity source.</summary>
    public const string SourceName = "Worker";

    private static readonly Meter Meter = new(SourceName);
    private static readonly Counter<long> Received = Meter.CreateCounter<long>("messaging.client.consumed.messages", "{message}", "Messages accepted from a source");
    private static readonly Counter<long> Stored = Meter.CreateCounter<long>("worker.messages.stored", "{message}", "Messages whose object is safe, duplicates included");
    private static readonly Counter<long> Completed = Meter.CreateCounter<long>("worker.messages.completed", "{message}", "Messages that the handler of a route without a sink completed");
    private static readonly Counter<long> Duplicates = Meter.CreateCounter<long>("worker.messages.duplicates", "{message}", "Messages whose object was there before with the same bytes");
    private static readonly Counter<long> Returned = Meter.CreateCounter<long>("worker.messages.returned", "{message}", "Messages returned to their source");
    private static readonly Counter<long> DeadLetters = Meter.CreateCounter<long>("worker.messages.dead_letters", "{message}", "Messages set aside, by reason");
    private static readonly Counter<long> Lost = Meter.CreateCounter<long>("worker.messages.lost", "{message}", "Messages that a stop could keep nowhere");
    private static readonly Counter<long> Timeouts = Meter.CreateCounter<long>("worker.messages.timeouts", "{message}", "Messages that took longer than Intake:MessageTimeout");
    private static readonly Histogram<double> Duration = Meter.CreateHistogram<double>("messaging.process.duration", "s", "Time from acceptance to settlement");

    private readonly KeyValuePair<string, object?> _route;
    private readonly Counts _counts;
    private readonly bool _stores;
    private readonly bool _countsDecidedDeadLetters;

    /// <summary>The counters of a route, from zero.</summary>
    /// <param name="route">The route's name.</param>
    /// <param name="stores">False where the route has no sink: its messages are completed, and nothing is said of storing.</param>
    public RouteMetrics(string route, bool stores = true)
        : this(new KeyValuePair<string, object?>("worker.route", route), new Counts(), stores, countsDecidedDeadLetters: true)
    {
    }

    private RouteMetrics(KeyValuePair<string, object?> route, Counts counts, bool stores, bool countsDecidedDeadLetters)
    {
        _stores = stores;
        _route = route;
        _counts = counts;
        _countsDecidedDeadLetters = countsDecidedDeadLetters;
    }

    /// <summary>What became of the messages that <see cref="RouteTotals.Stored"/> counts, in a word.</summary>
    internal string DoneWord => _stores ? "stored" : "completed";

    /// <summary>The totals since start; consistent once nothing is in flight.</summary>
    public RouteTotals Totals => new(
        Volatile.Read(ref _counts.Received),
        Volatile.Read(ref _counts.Stored),
        Volatile.Read(ref _counts.Duplicates),
        Volatile.Read(ref _counts.Returned),
        Volatile.Read(ref _counts.DeadLetters),
        Volatile.Read(ref _counts.Lost));

    /// <summary>Publishes gauges whose values are computed when they are collected.</summary>
    internal void Observe(string source, Func<int> inFlight, Func<double> oldestAgeSeconds, Func<int> breakerState, Func<long> bytesInFlight, Func<int> held)
    {
        KeyValuePair<string, object?>[] tags = [_route, new("worker.source", source)];
        Meter.CreateObservableGauge("worker.messages.in_flight", () => new Measurement<int>(inFlight(), tags), "{message}", "Messages being worked on");
        Meter.CreateObservableGauge("worker.messages.held", () => new Measurement<int>(held(), tags), "{message}", "Messages in flight that wait until the sink works");
        Meter.CreateObservableGauge("worker.bytes.in_flight", () => new Measurement<long>(bytesInFlight(), tags), "By", "Body bytes of messages being worked on");
        Meter.CreateObservableGauge("worker.messages.oldest_age", () => new Measurement<double>(oldestAgeSeconds(), tags), "s", "Age of the oldest message being worked on");
        Meter.CreateObservableGauge("worker.breaker.state", () => new Measurement<int>(breakerState(), tags), description: "0 closed, 1 half open, 2 open");
    }

    internal void MessageReceived()
    {
        Interlocked.Increment(ref _counts.Received);
        Received.Add(1, _route);
    }

    /// <summary>A terminator found the object stored before; counted beside the completion of the message.</summary>
    public void MessageDuplicate()
    {
        Interlocked.Increment(ref _counts.Duplicates);
        Duplicates.Add(1, _route);
    }

    internal void MessageTimedOut() => Timeouts.Add(1, _route);

    /// <summary>The same counts for a source that writes its dead letters itself, and counts each only when it is written.</summary>
    internal RouteMetrics WithoutDecidedDeadLetters() => new(_route, _counts, _stores, countsDecidedDeadLetters: false);

    /// <summary>A source without a dead-letter queue has written a dead letter durably.</summary>
    /// <param name="reason">The settlement's reason.</param>
    public void DeadLetterWritten(string? reason)
    {
        Interlocked.Increment(ref _counts.DeadLetters);
        DeadLetters.Add(1, _route, new KeyValuePair<string, object?>("worker.reason", reason));
    }

    /// <summary>A source kept a message after all that it was told to dead-letter, because the dead letter could not be written.</summary>
    public void MessageReturned()
    {
        Interlocked.Increment(ref _counts.Returned);
        Returned.Add(1, _route);
    }

    /// <summary>A stop could keep so many messages nowhere.</summary>
    internal void MessagesLost(int count)
    {
        Interlocked.Add(ref _counts.Lost, count);
        Lost.Add(count, _route);
    }

    internal void MessageSettled(in Settlement settlement, TimeSpan elapsed)
    {
        switch (settlement.Kind)
        {
            case SettlementKind.Complete:
                Interlocked.Increment(ref _counts.Stored);
                (_stores ? Stored : Completed).Add(1, _route);
                break;
            case SettlementKind.DeadLetter:
                if (_countsDecidedDeadLetters)
                {
                    DeadLetterWritten(settlement.Reason);
                }

                break;
            default:
                MessageReturned();
                break;
        }

        Duration.Record(elapsed.TotalSeconds, _route);
    }

    private sealed class Counts
    {
        public long Received;
        public long Stored;
        public long Duplicates;
        public long Returned;
        public long DeadLetters;
        public long Lost;
    }
}
