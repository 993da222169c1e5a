using Messaging.Aws.Sqs.Wire;
using Pipeline.Messages;

namespace Messaging.Aws.Sqs;

/// <summary>Deletes settled messages. Retries while the heartbeat renews them, because a lost delete causes a redelivery.</summary>
internal sealed class DeleteLoop(SqsClient client, SqsMessageSource source, MessageDestination destination, InFlightMessages inFlight, TimeProvider time, TimeSpan delay, int concurrency, SqsSourceLog log)
    : SqsBatchLoop(destination, inFlight, time, delay, concurrency, MaxFailures)
{
    // With the backoff's cap of 30 s this outlasts the default MaxHoldTime of 15 minutes.
    private const int MaxFailures = 40;

    protected override ValueTask SendAsync(string queueUrl, SqsBatch batch, CancellationToken cancellationToken) =>
        client.DeleteBatchAsync(queueUrl, batch.Handles, batch.Results, cancellationToken);

    protected override void Finished(SqsReceivedMessage message, bool succeeded, string? error)
    {
        if (!succeeded)
        {
            log.DeleteGivenUp(error ?? string.Empty);
        }

        source.Recycle(message);
    }

    protected override void Failed(int count, string error)
    {
        SqsSourceMetrics.DeleteFailed(log.Route, count);
        log.DeleteFailed(count, error);
    }
}

/// <summary>Abandons messages by ending or shortening their invisibility. If that fails, they are redelivered when their visibility timeout ends.</summary>
internal sealed class ReturnLoop(SqsClient client, SqsMessageSource source, MessageDestination destination, InFlightMessages inFlight, Heartbeat heartbeat, TimeProvider time, int concurrency, SqsSourceLog log)
    : SqsBatchLoop(destination, inFlight, time, Company, concurrency, MaxFailures)
{
    private const int MaxFailures = 3;

    // A renewal takes milliseconds; one that hangs must not use up the time for abandoning messages during a shutdown.
    private static readonly TimeSpan MostWait = TimeSpan.FromSeconds(2);

    // A redelivery delay counts from the call, so the call must not wait long; this suffices for the rest of a group or of a batch.
    private static readonly TimeSpan Company = TimeSpan.FromMilliseconds(10);

    protected override async ValueTask SendAsync(string queueUrl, SqsBatch batch, CancellationToken cancellationToken)
    {
        for (int i = 0; i < batch.Count; i++)
        {
            batch.Changes.Span[i] = new VisibilityChange(batch.Handles.Span[i], batch[i].ReturnDelaySeconds);
        }

        await heartbeat.UnderWay.WaitAsync(MostWait, Time, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await client.ChangeVisibilityBatchAsync(queueUrl, batch.Changes, batch.Results, cancellationToken);
    }

    protected override void Finished(SqsReceivedMessage message, bool succeeded, string? error)
    {
        if (!succeeded)
        {
            log.ReturnGivenUp(error ?? string.Empty);
        }

        source.Recycle(message);
    }

    protected override void Failed(int count, string error) => log.ReturnFailed(count, error);
}
