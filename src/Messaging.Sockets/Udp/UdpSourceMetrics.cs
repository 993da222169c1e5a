using System.Diagnostics.Metrics;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Sockets.Udp;

/// <summary>The metrics of a UDP source. Threads: any.</summary>
internal sealed class UdpSourceMetrics(string route)
{
    private static readonly Meter Meter = new(RouteMetrics.SourceName);
    private static readonly Counter<long> DroppedCounter =
        Meter.CreateCounter<long>("worker.udp.dropped", "{datagram}", "Datagrams received and dropped, by reason: too-large, checksum");

    private readonly KeyValuePair<string, object?> _route = new("worker.route", route);
    private long _tooLarge;
    private long _corrupt;

    /// <summary>Datagrams dropped because they were longer than the limit.</summary>
    public long TooLarge => Volatile.Read(ref _tooLarge);

    /// <summary>Datagrams dropped because their checksum was wrong or missing.</summary>
    public long Corrupt => Volatile.Read(ref _corrupt);

    public void DroppedTooLarge()
    {
        Interlocked.Increment(ref _tooLarge);
        DroppedCounter.Add(1, _route, new KeyValuePair<string, object?>("worker.reason", UdpMessageSource.TooLargeReason));
    }

    public void DroppedCorrupt()
    {
        Interlocked.Increment(ref _corrupt);
        DroppedCounter.Add(1, _route, new KeyValuePair<string, object?>("worker.reason", UdpMessageSource.ChecksumReason));
    }

    /// <summary>Publishes the kernel's figures for the socket where it has them; they are read only when metrics are collected.</summary>
    public void Observe(UdpSocket socket)
    {
        Meter.CreateObservableCounter(
            "worker.udp.kernel_drops", () => Measure(socket.KernelState?.Drops), "{datagram}",
            "Datagrams that the kernel dropped because the receive buffer was full: the sink is too slow, or the buffer too small for the bursts");
        Meter.CreateObservableGauge(
            "worker.udp.kernel_buffer", () => Measure(socket.KernelState?.Bytes), "By", "Memory of the datagrams that wait in the kernel");
    }

    private IEnumerable<Measurement<long>> Measure(long? value) => value is { } known ? [new Measurement<long>(known, _route)] : [];
}
