using Microsoft.Extensions.Logging;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Sinks;

namespace Quayside.Messaging.Elasticsearch;

/// <summary>
/// Sends a batch until each of its documents is accounted for, or until its attempts, its time or the retry budget are used up. It retries
/// only the documents that need it, and splits requests that are too large. Threads: any number, each with a batch of its own.
/// </summary>
internal sealed class BatchSender(
    ElasticsearchSinkOptions options, BulkRequests requests, ItemRules rules, BatchLimits limits, ElasticsearchMetrics metrics, TimeProvider time,
    ILogger logger)
{
    private const string Operation = "_bulk";
    private const int MaxDetail = 256;

    // AWS Architecture Blog, "Exponential Backoff And Jitter".
    private static readonly Backoff Backoff = new(TimeSpan.FromMilliseconds(100), TimeSpan.FromSeconds(20));

    private readonly RetryBudget _retries = new();

    /// <param name="batch">A complete batch. It records the outcome of its documents, whatever the result.</param>
    /// <param name="cancellationToken">Ends sending.</param>
    /// <returns>Stored when every document is accounted for, rejected ones included; otherwise Transient or Refused.</returns>
    /// <exception cref="OperationCanceledException">Only of <paramref name="cancellationToken"/>.</exception>
    public async Task<SinkResult> SendAsync(DocumentBatch batch, CancellationToken cancellationToken)
    {
        long start = time.GetTimestamp();
        int attempt = 1;
        int taken = 0;
        int most = int.MaxValue;
        bool askFirst = false;
        while (batch.Pending > 0)
        {
            int before = batch.Pending;
            int count = Math.Min(before, most);
            BulkFault fault = await requests.SendAsync(batch, count, askFirst, Limit(start), cancellationToken);
            askFirst = fault.IsBroken;
            switch (fault.Kind)
            {
                case BulkFaultKind.Refused:
                    return Refused(fault);
                case BulkFaultKind.TooLarge:
                    most = Split(batch, count);
                    break;
                case BulkFaultKind.None when batch.Refusal is { } refusal:
                    return Refused(refusal);
                case BulkFaultKind.None when batch.Retry is { } retry:
                    fault = retry;
                    break;
            }

            // Documents were accounted for, which is progress: the count of attempts in a row starts again.
            attempt = batch.Pending < before ? 1 : attempt;
            if (fault.Kind == BulkFaultKind.None)
            {
                _retries.Succeeded(taken);
                taken = 0;
                continue;
            }

            if (Remaining(start) <= TimeSpan.Zero)
            {
                return Transient(fault);
            }

            if (fault.Kind == BulkFaultKind.TooLarge)
            {
                continue;
            }

            TimeSpan wait = Backoff.After(attempt, fault.RetryAfter);
            if (attempt >= options.MaxAttempts || wait >= Remaining(start))
            {
                return Transient(fault);
            }

            if (!_retries.TryTake(fault.Code == BulkFault.TimeoutCode, out taken))
            {
                logger.LogBudgetSpent(ElasticsearchAdvice.Describe(fault, Operation));
                return Transient(fault);
            }

            logger.LogRetry(ElasticsearchAdvice.Describe(fault, Operation), batch.Pending, batch.Documents, wait, attempt, options.MaxAttempts);
            metrics.Retrying(batch.Retry is null ? count : batch.Pending, fault.Code);
            await Task.Delay(wait, time, cancellationToken);
            attempt++;
        }

        return SinkResult.Stored;
    }

    /// <summary>Halves a request that was too large; rejects a single document that is too large.</summary>
    /// <returns>Maximum documents per request from now on.</returns>
    private int Split(DocumentBatch batch, int count)
    {
        if (count == 1)
        {
            batch.RejectFirst(new RejectedDocument(0, 413, "request_entity_too_large", "The document alone is larger than Elasticsearch accepts."));
            return 1;
        }

        long bytes = batch.BytesOf(count);
        if (limits.Learn(bytes))
        {
            logger.LogTooLarge(bytes, limits.Bytes);
        }

        return (count + 1) / 2;
    }

    /// <summary>The result of a batch that is refused, as a whole or by an item that shows a fault of the index.</summary>
    public SinkResult Refused(in BulkFault fault) =>
        new(SinkStatus.Refused, Bound($"{ElasticsearchAdvice.Describe(fault, Operation)}. {ElasticsearchAdvice.For(fault, rules, options.Index!)}"));

    private static SinkResult Transient(in BulkFault fault) =>
        new(SinkStatus.Transient, Bound(ElasticsearchAdvice.Describe(fault, Operation)), fault.RetryAfter);

    private static string Bound(string detail) => detail.Length > MaxDetail ? detail[..MaxDetail] : detail;

    private TimeSpan Remaining(long start) => options.TotalTimeout - time.GetElapsedTime(start);

    private TimeSpan Limit(long start)
    {
        TimeSpan remaining = Remaining(start);
        return remaining < TimeSpan.Zero ? TimeSpan.Zero : remaining < options.AttemptTimeout ? remaining : options.AttemptTimeout;
    }
}

/// <summary>A document of a batch that Elasticsearch will never accept.</summary>
/// <param name="Document">Index of the document in the batch.</param>
/// <param name="Status">The item's status.</param>
/// <param name="Type">The error's type.</param>
/// <param name="Reason">The error's reason.</param>
internal readonly record struct RejectedDocument(int Document, int Status, string Type, string Reason);
