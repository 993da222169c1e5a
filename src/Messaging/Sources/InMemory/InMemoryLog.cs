using Microsoft.Extensions.Logging;

namespace Quayside.Messaging.Sources.InMemory;

/// <summary>Log events of messages that exist only in memory: ids 3000 to 3009.</summary>
internal static partial class InMemoryLog
{
    /// <summary>The reason code of messages that a shutdown left unprocessed.</summary>
    public const string UnprocessedReason = "unprocessed-at-stop";

    [LoggerMessage(3000, LogLevel.Warning,
        "Route {Route}: a dead letter of source {Source} could not be written ({Error}); the message is kept and redelivered in {Delay}")]
    public static partial void DeadLetterFailed(ILogger logger, string route, string source, string error, string delay);

    [LoggerMessage(3001, LogLevel.Warning,
        "Route {Route}: {Count} message(s) of source {Source} were not stored before the shutdown; "
            + "they were written to the dead letters as unprocessed-at-stop; redrive them")]
    public static partial void Spilled(ILogger logger, string route, string source, int count);

    [LoggerMessage(3002, LogLevel.Error,
        "Route {Route}: {Count} message(s) of source {Source} are LOST: the worker stopped before they were stored, "
            + "and they could not be written to the dead letters ({Error}). Ids: {Ids}")]
    public static partial void Lost(ILogger logger, string route, int count, string source, string error, string ids);

    [LoggerMessage(3003, LogLevel.Information,
        "Route {Route}: stopping; {Count} message(s) of source {Source} are processed first")]
    public static partial void Draining(ILogger logger, string route, string source, int count);
}
