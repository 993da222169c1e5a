using Messaging.Aws.Sqs.Wire;
using Pipeline.Messages;

namespace Messaging.Aws.Sqs;

/// <summary>Deletes finished messages. Keeps at it while the heartbeat holds them: a lost delete would be a redelivery.</summary>
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

/// <summary>Returns messages to the queue by ending or shortening their invisibility. Where that fails, the visibility timeout returns them a little later.</summary>
internal sealed class ReturnLoop(SqsClient client, SqsMessageSource source, MessageDestination destination, InFlightMessages inFlight, Heartbeat heartbeat, TimeProvider time, int concurrency, SqsSourceLog log)
    : SqsBatchLoop(destination, inFlight, time, Company, concurrency, MaxFailures)
{
    private const int MaxFailures = 3;

    // A renewal takes milliseconds; one that hangs must not use up the time that a stop has for abandoning messages.
    private static readonly TimeSpan MostWait = TimeSpan.FromSeconds(2);

    // A delay counts from the call, so the call must not wait; long enough for the rest of a group or of a stopped batch.
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
