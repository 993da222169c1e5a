using Microsoft.Extensions.Logging;

namespace Worker.Sources.Channels;

/// <summary>Log messages of the channel source: event ids 3000 to 3049.</summary>
internal static partial class ChannelLog
{
    [LoggerMessage(3000, LogLevel.Warning,
        "Route {Route}: a dead letter could not be written ({Error}); the message is kept and comes again in {Delay}.")]
    public static partial void DeadLetterFailed(ILogger logger, string route, string error, TimeSpan delay);

    [LoggerMessage(3001, LogLevel.Warning,
        "Route {Route}: {Count} message(s) in the channel were not worked off before the stop; they are in the dead letters as " + ChannelQueue.UnprocessedReason + ". Redrive them.")]
    public static partial void Spilled(ILogger logger, string route, int count);

    [LoggerMessage(3002, LogLevel.Error,
        "Route {Route}: {Count} message(s) in the channel are LOST: the worker stopped before they were worked off, and the dead letters did not take them ({Error}).")]
    public static partial void Lost(ILogger logger, string route, int count, string error);

    [LoggerMessage(3003, LogLevel.Information,
        "Route {Route}: stopping; {Count} message(s) held in memory are worked off first.")]
    public static partial void Draining(ILogger logger, string route, int count);
}
