using System.Net;
using Messaging.Telemetry;
using Microsoft.Extensions.Logging;

namespace Messaging.Sockets.Udp;

/// <summary>Log messages of the UDP source: event ids 3400 to 3439.</summary>
internal static partial class UdpLog
{
    [LoggerMessage(3400, LogLevel.Information, "Route {Route}: receiving datagrams on {Endpoint}; the kernel keeps up to {Buffer} bytes of them.")]
    public static partial void Bound(ILogger logger, string route, EndPoint endpoint, int buffer);

    [LoggerMessage(3401, LogLevel.Warning,
        "Route {Route}: the kernel keeps {Buffer} bytes of datagrams, not the {Wanted} of Sources:Udp:ReceiveBuffer. Raise net.core.rmem_max to let it keep more.")]
    public static partial void BufferCapped(ILogger logger, string route, int buffer, int wanted);

    [LoggerMessage(3402, LogLevel.Warning,
        "Route {Route}: a datagram of {Sender} was dropped as {Reason}{Suppressed}.")]
    public static partial void Dropped(ILogger logger, string route, EndPoint? sender, string reason, SuppressedLines suppressed);

    [LoggerMessage(3403, LogLevel.Warning,
        "Route {Route}: the kernel dropped {Count} datagram(s), {Total} since the start: they came faster than they were stored, and the receive buffer was full.")]
    public static partial void KernelDropped(ILogger logger, string route, long count, long total);

    [LoggerMessage(3404, LogLevel.Warning,
        "Route {Route}: the stop came before all datagrams in the kernel's buffer were taken over; up to {Bytes} bytes of them are lost.")]
    public static partial void LeftInKernel(ILogger logger, string route, int bytes);

    [LoggerMessage(3405, LogLevel.Warning,
        "Route {Route}: since the start {TooLarge} datagram(s) were dropped as too large and {Corrupt} for their checksum.")]
    public static partial void DroppedInAll(ILogger logger, string route, long tooLarge, long corrupt);
}
