using Messaging.Aws.Sqs.Wire;
using Pipeline.Messages;

namespace Messaging.Aws.Sqs;

/// <summary>Deletes settled messages. Retries while the heartbeat renews them, because a lost delete causes a redelivery.</summary>
internal sealed class DeleteLoop(SqsClient client, SqsMessageSource source, MessageDestination destination, InFlightMessages inFlight, TimeProvider time, TimeSpan delay, int concurrency, SqsSourceLog log)
    : SqsBatchLoop(destination, inFlight, time, delay, concurrency)
{
    protected override ValueTask SendAsync(string queueUrl, SqsBatch batch, CancellationToken cancellationToken) =>
        client.DeleteBatchAsync(queueUrl, batch.Handles, batch.Results, cancellationToken);

    protected override bool IsWorthRetrying(SqsReceivedMessage message) => InFlight.IsRenewed(message);

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

/// <summary>
/// Abandons messages by ending or changing their invisibility. If that fails, they are redelivered when their visibility timeout ends. Until
/// then a call that sets a delay is retried, because a redelivery at that time would ignore the delay.
/// </summary>
internal sealed class ReturnLoop(
    SqsClient client, SqsMessageSource source, MessageDestination destination, InFlightMessages inFlight, Heartbeat heartbeat, TimeProvider time, TimeSpan visibilityTimeout, int concurrency, SqsSourceLog log)
    : SqsBatchLoop(destination, inFlight, time, Company, concurrency)
{
    // A renewal takes milliseconds; one that hangs must not use up the time for abandoning messages during a shutdown.
    private static readonly TimeSpan MaxWait = TimeSpan.FromSeconds(2);

    // A redelivery delay counts from the call, so the call must not wait long; this suffices for the rest of a group or of a batch.
    private static readonly TimeSpan Company = TimeSpan.FromMilliseconds(10);

    protected override async ValueTask SendAsync(string queueUrl, SqsBatch batch, CancellationToken cancellationToken)
    {
        await heartbeat.InProgress.WaitAsync(MaxWait, Time, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        for (int i = 0; i < batch.Count; i++)
        {
            batch.Changes.Span[i] = new VisibilityChange(batch.Handles.Span[i], SecondsOf(batch[i]));
        }

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

    // An abandoned message is no longer renewed, so its current visibility ends by itself.
    protected override bool IsWorthRetrying(SqsReceivedMessage message) => message.ReturnDelaySeconds > 0 && Time.GetElapsedTime(message.RenewedAt) < visibilityTimeout;

    // The first call asks for the whole delay, later ones for the rest of it.
    private int SecondsOf(SqsReceivedMessage message)
    {
        int waited = message.SendFailures == 0 ? 0 : (int)Time.GetElapsedTime(message.AbandonedAt).TotalSeconds;
        return Math.Clamp(message.ReturnDelaySeconds - waited, 0, SqsLimits.VisibilityLeft(InFlight.AgeOf(message)));
    }
}
