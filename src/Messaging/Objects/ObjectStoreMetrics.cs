using System.Diagnostics.Metrics;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Objects;

/// <summary>What every sink over an object store counts. Threads: any.</summary>
internal static class ObjectStoreMetrics
{
    private static readonly Meter Meter = new(RouteMetrics.SourceName);
    private static readonly Counter<long> Retries =
        Meter.CreateCounter<long>("worker.sink.retries", "{request}", "Requests to the object store that were retried, by error: an early sign of throttling");
    private static readonly Counter<long> Losses = Meter.CreateCounter<long>(
        "worker.sink.property_losses", "{property}",
        "Metadata and tags that the store cannot carry as they are, by name and reason (replaced, cut, left_out); the objects are stored");

    /// <summary>A request is retried.</summary>
    /// <param name="route">The route; null outside a route.</param>
    /// <param name="status">The HTTP status; 0 without an answer.</param>
    /// <param name="code">The error, for a request without an answer.</param>
    public static void Retried(string? route, int status, string code) =>
        Retries.Add(1, new("worker.route", route), new KeyValuePair<string, object?>("error.type", status == 0 ? code : status));

    /// <summary>An object's metadata or tag was changed or left out.</summary>
    public static void PropertyLost(string? route, string name, string reason) =>
        Losses.Add(1, new("worker.route", route), new("worker.property", name), new("worker.reason", reason));
}
