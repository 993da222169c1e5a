using Microsoft.Extensions.Logging;

namespace Quayside.Messaging.Sources.Polling;

/// <summary>Log messages of a <see cref="PollingMessageSource{TItem}"/>: event ids 3010 to 3014.</summary>
internal static partial class PollingLog
{
    [LoggerMessage(3010, LogLevel.Error, "Route {Route}: the source {Source} could not claim items; retry in {Delay}")]
    public static partial void ClaimFailed(ILogger logger, Exception exception, string route, string source, string delay);

    [LoggerMessage(3011, LogLevel.Error, "Route {Route}: the source {Source} could not read {Id}; it stays claimed and is read again in {Delay}")]
    public static partial void ReadFailed(ILogger logger, Exception exception, string route, string source, string id, string delay);

    [LoggerMessage(
        3012, LogLevel.Warning, "Route {Route}: the source {Source} could not remove {Id}, whose message is done; the message is redelivered in {Delay}")]
    public static partial void CompleteFailed(ILogger logger, Exception exception, string route, string source, string id, string delay);

    [LoggerMessage(
        3013, LogLevel.Error,
        "Route {Route}: the dead letter of {Id} from {Source} could not be written; the message is redelivered in {Delay}. Check the folder DeadLetters:Path")]
    public static partial void DeadLetterFailed(ILogger logger, Exception exception, string route, string source, string id, string delay);

    [LoggerMessage(
        3014, LogLevel.Warning,
        "Route {Route}: the source {Source} could not release {Id}; it stays claimed until the source frees the claims of a killed process")]
    public static partial void ReleaseFailed(ILogger logger, Exception exception, string route, string source, string id);
}
