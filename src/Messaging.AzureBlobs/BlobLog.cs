using Microsoft.Extensions.Logging;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.AzureBlobs;

/// <summary>Log messages of the sink AzureBlobs: event ids 4301 to 4349. The store's codes and ids are bounded and escaped.</summary>
internal static partial class BlobLog
{
    [LoggerMessage(4301, LogLevel.Warning, "Container {Container} {State} ({Failure}); the worker still tries to store each message")]
    public static partial void LogUnreachable(this ILogger logger, string container, string state, string failure);

    [LoggerMessage(
        4302, LogLevel.Warning,
        "Container {Container} could not be checked ({Failure}); without the permission to list, only the first blob shows whether storing works")]
    public static partial void LogUnchecked(this ILogger logger, string container, string failure);

    [LoggerMessage(4303, LogLevel.Debug, "{Failure}: attempt {Attempt} of {MaxAttempts}, retry in {Wait}")]
    public static partial void LogRetry(this ILogger logger, string failure, int attempt, int maxAttempts, TimeSpan wait);

    [LoggerMessage(4304, LogLevel.Debug, "{Failure}: not retried, because recent retries have used up the retry budget")]
    public static partial void LogBudgetSpent(this ILogger logger, string failure);

    [LoggerMessage(
        4305, LogLevel.Warning,
        "Route {Route}: the {Kind} {Name} of a blob was {Outcome}; its bytes are not changed (metric worker.sink.property_losses){Suppressed}")]
    public static partial void LogPropertyLost(this ILogger logger, string? route, string kind, string name, string outcome, SuppressedLines suppressed);
}
