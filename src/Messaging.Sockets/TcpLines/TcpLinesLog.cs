using System.Net;
using Microsoft.Extensions.Logging;

namespace Quayside.Messaging.Sockets.TcpLines;

/// <summary>Log messages of the TCP lines source: event ids 3450 to 3499.</summary>
internal static partial class TcpLinesLog
{
    [LoggerMessage(
        3450, LogLevel.Information, "Route {Route}: accepting connections on {Endpoint} (framing: {Framing}, TLS: {Tls}, acknowledgements: {Acknowledge})")]
    public static partial void Listening(ILogger logger, string route, EndPoint endpoint, Framing framing, bool tls, bool acknowledge);

    [LoggerMessage(3451, LogLevel.Warning, "Route {Route}: accepting a connection failed ({Error}); next attempt in {Delay}")]
    public static partial void AcceptFailed(ILogger logger, string route, string error, TimeSpan delay);

    [LoggerMessage(3452, LogLevel.Warning,
        "Route {Route}: a connection from {Peer} was refused: {Reason}")]
    public static partial void Refused(ILogger logger, string route, EndPoint? peer, string reason);

    [LoggerMessage(3453, LogLevel.Warning,
        "Route {Route}: the connection from {Peer} was closed: {Reason}")]
    public static partial void Closed(ILogger logger, string route, EndPoint? peer, string reason);

    [LoggerMessage(3454, LogLevel.Warning,
        "Route {Route}: line {Line} from {Peer} was dropped: {Reason}, {Bytes} bytes. {Advice}{Fate}")]
    public static partial void LineDropped(ILogger logger, string route, long line, EndPoint? peer, string reason, long bytes, string advice, string fate);

    [LoggerMessage(3455, LogLevel.Debug, "Route {Route}: a connection from {Peer} ended: {Reason}, after {Lines} line(s)")]
    public static partial void Ended(ILogger logger, string route, EndPoint? peer, string reason, long lines);

    [LoggerMessage(3456, LogLevel.Error, "Route {Route}: a defect in the worker ended the connection from {Peer}; its sender must connect again")]
    public static partial void Defect(ILogger logger, Exception exception, string route, EndPoint? peer);

    [LoggerMessage(3457, LogLevel.Warning,
        "Route {Route}: the drain ended before all lines from {Peer} were processed; up to {Bytes} bytes are dropped. {Advice}")]
    public static partial void Unread(ILogger logger, string route, EndPoint? peer, long bytes, string advice);

    [LoggerMessage(
        3458, LogLevel.Warning, "Route {Route}: {Count} connection(s) were closed when the drain timeout ended; lines without an answer must be sent again")]
    public static partial void CutOff(ILogger logger, string route, int count);

    [LoggerMessage(3460, LogLevel.Warning,
        "Route {Route}: the connection from {Peer} was closed, and none of its lines became a message: {Reason}. {Advice}")]
    public static partial void Foreign(ILogger logger, string route, EndPoint? peer, string reason, string advice);
}
