using System.Net;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Sockets.Udp;

/// <summary>Log messages of the UDP source: event ids 3400 to 3439.</summary>
internal static partial class UdpLog
{
    [LoggerMessage(3400, LogLevel.Information, "Route {Route}: receiving datagrams on {Endpoint}; the kernel buffers up to {Buffer} bytes")]
    public static partial void Bound(ILogger logger, string route, EndPoint endpoint, int buffer);

    [LoggerMessage(3401, LogLevel.Warning,
        "Route {Route}: the kernel buffers {Buffer} bytes of datagrams, not the {Wanted} of Sources:Udp:ReceiveBuffer. "
            + "Raise net.core.rmem_max for a larger buffer")]
    public static partial void BufferCapped(ILogger logger, string route, int buffer, int wanted);

    [LoggerMessage(3402, LogLevel.Warning,
        "Route {Route}: a datagram from {Sender} was dropped: {Reason}. {Advice}{Suppressed}")]
    public static partial void Dropped(ILogger logger, string route, EndPoint? sender, string reason, string advice, SuppressedLines suppressed);

    [LoggerMessage(3403, LogLevel.Warning,
        "Route {Route}: the kernel dropped {Count} datagram(s), {Total} since the start: the receive buffer was full. Make the sink faster, or raise "
            + "Sources:Udp:ReceiveBuffer for bursts")]
    public static partial void KernelDropped(ILogger logger, string route, long count, long total);

    [LoggerMessage(3404, LogLevel.Warning,
        "Route {Route}: the drain ended before all datagrams in the kernel's buffer were read; up to {Bytes} bytes are lost")]
    public static partial void LeftInKernel(ILogger logger, string route, int bytes);
}
