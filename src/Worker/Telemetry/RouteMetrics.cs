using System.Diagnostics.Metrics;
using Pipeline.Settlements;
using Worker.ObjectKeys;

namespace Worker.Telemetry;

/// <summary>
/// Counts what happens to a route's messages: as OpenTelemetry metrics (messaging semantic conventions where there is one; free
/// when nobody listens) and as plain totals for reports. The balance received - (stored + dead letters + returned) - in flight is 0.
/// Threads: any.
/// </summary>
internal sealed class RouteMetrics
{
    /// <summary>The name of the meter and of the activity source.</summary>
    public const string SourceName = "Worker";

    private static readonly Meter Meter = new(SourceName);
    private static readonly Counter<long> Received = Meter.CreateCounter<long>("messaging.client.consumed.messages", "{message}", "Messages accepted from a source");
    private static readonly Counter<long> Stored = Meter.CreateCounter<long>("worker.messages.stored", "{message}", "Messages whose object is safe, duplicates included");
    private static readonly Counter<long> Duplicates = Meter.CreateCounter<long>("worker.messages.duplicates", "{message}", "Messages whose object was there before with the same bytes");
    private static readonly Counter<long> Returned = Meter.CreateCounter<long>("worker.messages.returned", "{message}", "Messages handed back to their source");
    private static readonly Counter<long> DeadLetters = Meter.CreateCounter<long>("worker.messages.dead_letters", "{message}", "Messages set aside, by reason");
    private static readonly Counter<long> Timeouts = Meter.CreateCounter<long>("worker.messages.timeouts", "{message}", "Messages that took longer than Intake:MessageTimeout");
    private static readonly Histogram<double> Duration = Meter.CreateHistogram<double>("messaging.process.duration", "s", "Time from acceptance to settlement");

    private readonly KeyValuePair<string, object?> _route;
    private long _received;
    private long _stored;
    private long _duplicates;
    private long _returned;
    private long _deadLetters;

    public RouteMetrics(string route)
    {
        _route = new KeyValuePair<string, object?>("worker.route", route);
    }

    /// <summary>The totals since start; consistent once nothing is in flight.</summary>
    public RouteTotals Totals => new(
        Volatile.Read(ref _received),
        Volatile.Read(ref _stored),
        Volatile.Read(ref _duplicates),
        Volatile.Read(ref _returned),
        Volatile.Read(ref _deadLetters));

    /// <summary>What object keys were made without; null where the route makes none from messages.</summary>
    public KeyPartMonitor? KeyParts { get; set; }

    /// <summary>Publishes gauges whose values are computed when somebody asks.</summary>
    public void Observe(string source, Func<int> inFlight, Func<double> oldestAgeSeconds, Func<int> breakerState, Func<long> bytesInFlight, Func<int> held)
    {
        KeyValuePair<string, object?>[] tags = [_route, new("worker.source", source)];
        Meter.CreateObservableGauge("worker.messages.in_flight", () => new Measurement<int>(inFlight(), tags), "{message}", "Messages being worked on");
        Meter.CreateObservableGauge("worker.messages.held", () => new Measurement<int>(held(), tags), "{message}", "Messages in flight that wait until the sink works");
        Meter.CreateObservableGauge("worker.bytes.in_flight", () => new Measurement<long>(bytesInFlight(), tags), "By", "Body bytes of messages being worked on");
        Meter.CreateObservableGauge("worker.messages.oldest_age", () => new Measurement<double>(oldestAgeSeconds(), tags), "s", "Age of the oldest message being worked on");
        Meter.CreateObservableGauge("worker.breaker.state", () => new Measurement<int>(breakerState(), tags), description: "0 closed, 1 half open, 2 open");
    }

    public void MessageReceived()
    {
        Interlocked.Increment(ref _received);
        Received.Add(1, _route);
    }

    public void MessageDuplicate()
    {
        Interlocked.Increment(ref _duplicates);
        Duplicates.Add(1, _route);
    }

    public void MessageTimedOut() => Timeouts.Add(1, _route);

    public void MessageSettled(in Settlement settlement, TimeSpan elapsed)
    {
        switch (settlement.Kind)
        {
            case SettlementKind.Complete:
                Interlocked.Increment(ref _stored);
                Stored.Add(1, _route);
                break;
            case SettlementKind.DeadLetter:
                Interlocked.Increment(ref _deadLetters);
                DeadLetters.Add(1, _route, new KeyValuePair<string, object?>("worker.reason", settlement.Reason));
                break;
            default:
                Interlocked.Increment(ref _returned);
                Returned.Add(1, _route);
                break;
        }

        Duration.Record(elapsed.TotalSeconds, _route);
    }
}
