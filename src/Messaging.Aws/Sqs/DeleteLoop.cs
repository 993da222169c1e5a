using Messaging.Aws.Sqs.Wire;

namespace Messaging.Aws.Sqs;

/// <summary>Deletes finished messages. Keeps at it while the heartbeat holds them: a lost delete would be a redelivery.</summary>
internal sealed class DeleteLoop(SqsClient client, SqsMessageSource source, InFlightMessages inFlight, TimeProvider time, TimeSpan delay, int concurrency, SqsSourceLog log)
    : SqsBatchLoop(inFlight, time, delay, concurrency, MaxFailures)
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
        SqsSourceMetrics.DeleteFailed(count);
        log.DeleteFailed(count, error);
    }
}
