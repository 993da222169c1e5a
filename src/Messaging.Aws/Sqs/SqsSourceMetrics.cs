using System.Diagnostics.Metrics;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Aws.Sqs;

/// <summary>Metrics of the SQS source.</summary>
internal static class SqsSourceMetrics
{
    private static readonly Meter Meter = new(RouteMetrics.SourceName);
    private static readonly Counter<long> RenewFailures =
        Meter.CreateCounter<long>("worker.sqs.renew_failures", "{renewal}", "Visibility renewals that failed");
    private static readonly Counter<long> DeleteFailures =
        Meter.CreateCounter<long>("worker.sqs.delete_failures", "{delete}", "Deletes that failed and were retried");
    private static readonly Counter<long> Redeliveries =
        Meter.CreateCounter<long>("worker.sqs.redeliveries", "{message}", "Messages redelivered while in flight or after they were settled");

    public static void RenewFailed(string route, int count) => Guard(() => RenewFailures.Add(count, RouteTag(route)));

    public static void DeleteFailed(string route, int count) => Guard(() => DeleteFailures.Add(count, RouteTag(route)));

    public static void Redelivered(string route) => Guard(() => Redeliveries.Add(1, RouteTag(route)));

    /// <summary>Publishes the number of messages the queue counts as in flight for this worker.</summary>
    public static void Observe(string route, InFlightMessages messages) => Meter.CreateObservableGauge(
        "worker.sqs.in_flight",
        () => new Measurement<int>(messages.Count, RouteTag(route)),
        "{message}",
        "Messages received and not yet deleted or abandoned");

    private static void Guard(Action count)
    {
        try
        {
            count();
        }
        catch (Exception)
        {
            // A metrics listener that throws must not end the loop that counts.
        }
    }

    private static KeyValuePair<string, object?> RouteTag(string route) => new("worker.route", route);
}
