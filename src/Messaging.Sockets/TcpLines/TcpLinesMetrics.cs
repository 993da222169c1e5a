using System.Diagnostics.Metrics;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Sockets.TcpLines;

/// <summary>The metrics of a TCP lines source. Threads: any.</summary>
internal sealed class TcpLinesMetrics(string route)
{
    private static readonly Meter Meter = new(RouteMetrics.SourceName);
    private static readonly Counter<long> RefusedCounter =
        Meter.CreateCounter<long>("worker.tcp.connections_refused", "{connection}", "Connections refused, by reason: total-limit, address-limit");
    private static readonly Counter<long> ClosedCounter = Meter.CreateCounter<long>(
        "worker.tcp.connections_closed", "{connection}",
        "Connections that ended, by reason: end, reset, first-line-timeout, idle-timeout, ack-timeout, tls, http-request, proxy-protocol, "
            + "tls-client-hello, bad-frame, stopping");

    private readonly KeyValuePair<string, object?> _route = new("worker.route", route);
    private long _refused;

    /// <summary>Connections refused because of a limit.</summary>
    public long Refused => Volatile.Read(ref _refused);

    public void ConnectionRefused(string reason)
    {
        Interlocked.Increment(ref _refused);
        RefusedCounter.Add(1, _route, new KeyValuePair<string, object?>("worker.reason", reason));
    }

    public void ConnectionClosed(string reason) => ClosedCounter.Add(1, _route, new KeyValuePair<string, object?>("worker.reason", reason));

    /// <summary>Publishes the number of open connections.</summary>
    public void Observe(ConnectionTable connections) => Meter.CreateObservableGauge(
        "worker.tcp.connections", () => new Measurement<int>(connections.Count, _route), "{connection}", "Open connections");
}

/// <summary>Why a connection ended, as in logs and metrics.</summary>
internal static class CloseReason
{
    /// <summary>The sender ended its stream.</summary>
    public const string End = "end";

    /// <summary>The connection broke.</summary>
    public const string Reset = "reset";

    /// <summary>No line within <c>FirstLineTimeout</c>.</summary>
    public const string FirstLineTimeout = "first-line-timeout";

    /// <summary>No further line within <c>IdleTimeout</c>.</summary>
    public const string IdleTimeout = "idle-timeout";

    /// <summary>The sender does not read its acknowledgements.</summary>
    public const string AcknowledgementTimeout = "ack-timeout";

    /// <summary>The TLS handshake failed.</summary>
    public const string Tls = "tls";

    /// <summary>The first line was an HTTP request.</summary>
    public const string HttpRequest = "http-request";

    /// <summary>The connection began with a header of the PROXY protocol.</summary>
    public const string ProxyProtocol = "proxy-protocol";

    /// <summary>The connection began with a TLS handshake, and there is no certificate.</summary>
    public const string ClientHello = "tls-client-hello";

    /// <summary>What should be a length was none.</summary>
    public const string BadFrame = LineAnswers.BadFrame;

    /// <summary>The worker stops.</summary>
    public const string Stopping = "stopping";
}
