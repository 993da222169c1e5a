using Microsoft.Extensions.Logging;

namespace Messaging.CloudFront.Elasticsearch;

/// <summary>Log lines of the Elasticsearch sink: 4201 to 4299. What the server says arrives bounded and escaped.</summary>
internal static partial class ElasticsearchLog
{
    [LoggerMessage(4201, LogLevel.Warning, "Elasticsearch at {Endpoint} cannot be reached at the moment ({Failure}); indexing is tried with each message")]
    public static partial void LogUnreachable(this ILogger logger, Uri endpoint, string failure);

    [LoggerMessage(4202, LogLevel.Debug, "Elasticsearch at {Endpoint} knows the credentials and does not tell them about itself ({Failure})")]
    public static partial void LogUntold(this ILogger logger, Uri endpoint, string failure);

    [LoggerMessage(4203, LogLevel.Debug, "{Failure}: {Pending} of {Documents} documents again in {Wait}, attempt {Attempt} of {MaxAttempts}")]
    public static partial void LogRetry(this ILogger logger, string failure, int pending, int documents, TimeSpan wait, int attempt, int maxAttempts);

    [LoggerMessage(4204, LogLevel.Debug, "{Failure}: not again, since too many requests of late had to be repeated")]
    public static partial void LogBudgetSpent(this ILogger logger, string failure);

    [LoggerMessage(4205, LogLevel.Warning, "Elasticsearch, or a proxy before it, refuses a request of {Bytes} bytes as too large; from here on batches are sent at {Limit} bytes. Set Sinks:Elasticsearch:MaxBatchBytes to what it takes")]
    public static partial void LogTooLarge(this ILogger logger, long bytes, int limit);
}
