using System.Diagnostics.Metrics;
using Messaging.ServiceBus.Port;
using Messaging.Telemetry;

namespace Messaging.ServiceBus;

/// <summary>What only a Service Bus source can count.</summary>
internal static class ServiceBusSourceMetrics
{
    private static readonly Meter Meter = new(RouteMetrics.SourceName);
    private static readonly Counter<long> RenewFailures = Meter.CreateCounter<long>("worker.servicebus.renew_failures", "{renewal}", "Lock renewals that failed");
    private static readonly Counter<long> SettleFailures = Meter.CreateCounter<long>("worker.servicebus.settle_failures", "{call}", "Calls to complete, abandon or dead-letter that failed");
    private static readonly Counter<long> Redeliveries = Meter.CreateCounter<long>("worker.servicebus.redeliveries", "{message}", "Messages delivered while in work or after they were finished");

    public static void RenewFailed() => RenewFailures.Add(1);

    public static void SettleFailed(ServiceBusFaultKind kind) => SettleFailures.Add(1, new KeyValuePair<string, object?>("error.type", kind.ToString()));

    public static void Redelivered() => Redeliveries.Add(1);
}
