using System.Diagnostics.Metrics;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.AzureServiceBus;

/// <summary>Metrics of the Service Bus source.</summary>
internal static class ServiceBusSourceMetrics
{
    private static readonly Meter Meter = new(RouteMetrics.SourceName);
    private static readonly Counter<long> RenewFailures =
        Meter.CreateCounter<long>("worker.servicebus.renew_failures", "{renewal}", "Lock renewals that failed");
    private static readonly Counter<long> SettleFailures = Meter.CreateCounter<long>(
        "worker.servicebus.settle_failures", "{call}",
        "Calls to complete, abandon or dead-letter that failed, by error; many lost locks mean that storing takes longer than locks last");
    private static readonly Counter<long> Redeliveries =
        Meter.CreateCounter<long>("worker.servicebus.redeliveries", "{message}", "Messages redelivered while in flight or after they were completed");

    private static readonly Counter<long> UnreadableDeliveries = Meter.CreateCounter<long>(
        "worker.servicebus.unreadable", "{delivery}",
        "Deliveries of messages that the Service Bus client cannot convert; Service Bus dead-letters such a message after MaxDeliveryCount of them");

    public static void RenewFailed(string route) => RenewFailures.Add(1, RouteTag(route));

    public static void SettleFailed(string route, ServiceBusFaultKind kind) =>
        SettleFailures.Add(1, RouteTag(route), new KeyValuePair<string, object?>("error.type", kind.ToString()));

    public static void Redelivered(string route) => Redeliveries.Add(1, RouteTag(route));

    public static void Unreadable(string route) => UnreadableDeliveries.Add(1, RouteTag(route));

    private static KeyValuePair<string, object?> RouteTag(string route) => new("worker.route", route);
}
