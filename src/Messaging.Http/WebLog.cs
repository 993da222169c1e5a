using System.Net;
using Microsoft.Extensions.Logging;

namespace Quayside.Messaging.Http;

/// <summary>Log messages of the web server: event ids 1102 and 1210 to 1229.</summary>
internal static partial class WebLog
{
    [LoggerMessage(1102, LogLevel.Information, "Listening on {Urls}: {Messages}the page at /, /metrics, /healthz/live, /healthz/ready")]
    public static partial void Listening(ILogger logger, string urls, string messages);

    [LoggerMessage(1210, LogLevel.Warning,
        "The worker closed the HTTP connection from {Peer}: {Reason}")]
    public static partial void ConnectionClosed(ILogger logger, EndPoint? peer, string reason);

    [LoggerMessage(1211, LogLevel.Warning,
        "An HTTP request from {Peer} was refused with 403 ({Reason}): {Message}")]
    public static partial void Refused(ILogger logger, IPAddress? peer, string reason, string message);

    [LoggerMessage(1215, LogLevel.Warning,
        "{Count} HTTP request(s) were refused within {Period}: {Answers}. Their callers keep the messages. For 429 and 503, fix the route's problem or add "
            + "workers; for others, correct the requests")]
    public static partial void RequestsRefused(ILogger logger, long count, string period, string answers);

    [LoggerMessage(1218, LogLevel.Information, "Over the API, from {Address} with the token: {What}: {Result}")]
    public static partial void Changed(ILogger logger, string address, string what, string result);

    [LoggerMessage(
        1220, LogLevel.Warning,
        "Over the API, from {Address}: {What} was denied ({Status} {Reason}). If no program of yours sends this, restrict who reaches the worker")]
    public static partial void Denied(ILogger logger, string address, string what, int status, string reason);
}
