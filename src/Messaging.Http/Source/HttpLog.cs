using Messaging.Telemetry;
using Microsoft.Extensions.Logging;

namespace Messaging.Http.Source;

/// <summary>Log messages of the HTTP source: event ids 3050 to 3099.</summary>
internal static partial class HttpLog
{
    [LoggerMessage(3050, LogLevel.Warning,
        "Route {Route}: a dead letter could not be written ({Error}); the caller is asked to send the message again after {Delay}. Check the folder DeadLetters:Path{Suppressed}")]
    public static partial void DeadLetterFailed(ILogger logger, string route, string error, string delay, SuppressedLines suppressed);

    [LoggerMessage(3051, LogLevel.Warning,
        "Route {Route}: {Count} request(s) were not answered before the shutdown ended; their callers must send them again")]
    public static partial void AnswersLeft(ILogger logger, string route, int count);
}
