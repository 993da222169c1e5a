using Worker.Sources.Sqs.Wire;

namespace Worker.Sources.Sqs;

/// <summary>Hands messages back by ending or shortening their invisibility. What cannot be handed back comes by itself a little later.</summary>
internal sealed class ReturnLoop(SqsClient client, SqsMessageSource source, InFlightMessages messages, TimeProvider time, int concurrency, SqsSourceLog log)
    : SqsBatchLoop(time, TimeSpan.FromMilliseconds(10), concurrency, MaxFailures)
{
    private const int MaxFailures = 3;

    protected override ValueTask SendAsync(string queueUrl, List<SqsReceivedMessage> batch, Memory<BatchEntryResult> results, CancellationToken cancellationToken) =>
        client.ChangeVisibilityBatchAsync(
            queueUrl,
            batch.ConvertAll(message => new VisibilityChange(messages.HandleOf(message), message.ReturnDelaySeconds)).ToArray(),
            results,
            cancellationToken);

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
