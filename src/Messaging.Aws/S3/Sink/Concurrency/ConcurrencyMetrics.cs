using System.Diagnostics.Metrics;
using Messaging.Telemetry;

namespace Messaging.Aws.S3.Sink.Concurrency;

/// <summary>Publishes a limiter: gauges, computed on collection, and a count of decreases. Costs nothing without a listener.</summary>
internal sealed class ConcurrencyMetrics
{
    private static readonly Meter Meter = new(RouteMetrics.SourceName);
    private static readonly Counter<long> Decreases = Meter.CreateCounter<long>("worker.sink.concurrency.decreases", "{decrease}", "Decreases of the limit of requests in flight, by reason: overload, latency");

    private readonly KeyValuePair<string, object?> _route;

    public ConcurrencyMetrics(string? route, ConcurrencyLimiter limiter)
    {
        _route = new KeyValuePair<string, object?>("worker.route", route);
        if (route is not null)
        {
            Meter.CreateObservableGauge("worker.sink.concurrency.limit", () => new Measurement<int>(limiter.Limit, _route), "{request}", "Requests to the object store that may be in flight at once");
            Meter.CreateObservableGauge("worker.sink.concurrency.in_flight", () => new Measurement<int>(limiter.InFlight, _route), "{request}", "Requests to the object store in flight");
            Meter.CreateObservableGauge("worker.sink.concurrency.waiting", () => new Measurement<int>(limiter.Waiting, _route), "{request}", "Requests to the object store that wait for a permit");
        }
    }

    public void Changed(LimitChange change)
    {
        if (change is LimitChange.LoweredByOverload or LimitChange.LoweredByLatency)
        {
            Decreases.Add(1, _route, new KeyValuePair<string, object?>("worker.reason", change == LimitChange.LoweredByOverload ? "overload" : "latency"));
        }
    }
}
