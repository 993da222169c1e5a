using Microsoft.Extensions.Logging;

namespace Quayside.Messaging.Aws.S3;

/// <summary>Log messages of the S3 sink and of payloads in S3: event ids 4101 to 4199. The store's codes and ids are bounded and escaped.</summary>
internal static partial class S3Log
{
    [LoggerMessage(4101, LogLevel.Warning, "Bucket {Bucket} {State} ({Failure}); the worker still tries to store each message")]
    public static partial void LogUnreachable(this ILogger logger, string bucket, string state, string failure);

    [LoggerMessage(
        4102, LogLevel.Warning, "Bucket {Bucket} could not be checked ({Failure}); without s3:ListBucket only the first object shows whether storing works")]
    public static partial void LogUnchecked(this ILogger logger, string bucket, string failure);

    [LoggerMessage(4103, LogLevel.Debug, "{Failure}: attempt {Attempt} of {MaxAttempts}, retry in {Wait}")]
    public static partial void LogRetry(this ILogger logger, string failure, int attempt, int maxAttempts, TimeSpan wait);

    [LoggerMessage(
        4104, LogLevel.Warning,
        "Sinks:S3:Conditional is false: two messages with the same key that are stored at the same time can overwrite each other unnoticed")]
    public static partial void LogUnconditional(this ILogger logger);

    [LoggerMessage(4105, LogLevel.Debug, "{Failure}: not retried, because recent retries have used up the retry budget")]
    public static partial void LogBudgetSpent(this ILogger logger, string failure);

    [LoggerMessage(
        4107, LogLevel.Warning,
        "Route {Route}: the {Kind} {Name} of an object was {Outcome}; the object is stored (metric worker.sink.property_losses)")]
    public static partial void LogPropertyLost(this ILogger logger, string? route, string kind, string name, string outcome);

    [LoggerMessage(4108, LogLevel.Information, "Route {Route}: objects are stored with {Client}")]
    public static partial void LogClient(this ILogger logger, string? route, string client);

    [LoggerMessage(4106, LogLevel.Debug, "{Operation} was answered with {Status} {Code}, request {RequestId}: {Message}")]
    public static partial void LogErrorAnswer(this ILogger logger, string operation, int status, string code, string? requestId, string message);
}
