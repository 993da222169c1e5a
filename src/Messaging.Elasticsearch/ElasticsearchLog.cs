using Microsoft.Extensions.Logging;

namespace Quayside.Messaging.Elasticsearch;

/// <summary>Log lines of the Elasticsearch sink: 4201 to 4299. Texts of the server are bounded and escaped before they get here.</summary>
internal static partial class ElasticsearchLog
{
    [LoggerMessage(
        4201, LogLevel.Warning, "Elasticsearch at {Endpoint} is unreachable ({Failure}); the worker still tries to index the documents of each message")]
    public static partial void LogUnreachable(this ILogger logger, string endpoint, string failure);

    [LoggerMessage(4203, LogLevel.Debug, "{Failure}: {Pending} of {Documents} documents pending, attempt {Attempt} of {MaxAttempts}, retry in {Wait}")]
    public static partial void LogRetry(this ILogger logger, string failure, int pending, int documents, TimeSpan wait, int attempt, int maxAttempts);

    [LoggerMessage(4204, LogLevel.Debug, "{Failure}: not retried, because recent retries have used up the retry budget")]
    public static partial void LogBudgetSpent(this ILogger logger, string failure);

    [LoggerMessage(
        4205, LogLevel.Warning,
        "Elasticsearch or a proxy in front of it rejected a request of {Bytes} bytes as too large; from now on a batch is sent at {Limit} bytes. Set "
            + "Sinks:Elasticsearch:MaxBatchBytes to a size that both accept")]
    public static partial void LogTooLarge(this ILogger logger, long bytes, int limit);

    [LoggerMessage(
        4206, LogLevel.Warning,
        "The Elasticsearch node {Node} does not answer ({Failure}); its requests go to the other nodes, and it is tried again in {Pause}")]
    public static partial void LogNodeDown(this ILogger logger, Uri node, string failure, TimeSpan pause);

    [LoggerMessage(4207, LogLevel.Information, "The Elasticsearch node {Node} answers again")]
    public static partial void LogNodeUp(this ILogger logger, Uri node);
}
