using System.Diagnostics.Metrics;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Sockets.Udp;

/// <summary>The kernel's figures for a UDP source; what the source itself drops, the route counts.</summary>
internal static class UdpSourceMetrics
{
    private static readonly Meter Meter = new(RouteMetrics.SourceName);

    /// <summary>Publishes the kernel's figures for the socket where it has them; they are read only when metrics are collected.</summary>
    public static void Observe(string route, UdpSocket socket)
    {
        Meter.CreateObservableCounter(
            "worker.udp.kernel_drops", () => Measure(socket.KernelState?.Drops), "{datagram}",
            "Datagrams that the kernel dropped because the receive buffer was full: the sink is too slow, or the buffer too small for the bursts");
        Meter.CreateObservableGauge(
            "worker.udp.kernel_buffer", () => Measure(socket.KernelState?.Bytes), "By", "Memory of the datagrams that wait in the kernel");

        IEnumerable<Measurement<long>> Measure(long? value) =>
            value is { } known ? [new Measurement<long>(known, new KeyValuePair<string, object?>("worker.route", route))] : [];
    }
}
