using System.Net;
using Microsoft.Extensions.Logging;

namespace Quayside.Messaging.Http;

/// <summary>Log messages of the web server: event ids 1102 and 1210 to 1215.</summary>
internal static partial class WebLog
{
    [LoggerMessage(1102, LogLevel.Information, "Listening on {Urls}: {Paths}")]
    public static partial void Listening(ILogger logger, string urls, string paths);

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
}
