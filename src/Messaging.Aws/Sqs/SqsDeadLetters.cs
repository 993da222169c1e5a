using Quayside.Messaging.Aws.Sqs.Wire;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Aws.Sqs;

/// <summary>
/// Sends poison to the dead-letter queue: the body, the attributes and the group (of FIFO and of fair queues) unchanged, the reason as attribute
/// <c>DeadLetterReason</c> and the
/// rest of the record as JSON in <c>DeadLetterDetails</c>. If the message has too many attributes for these two, its last texts are only in
/// the details, from which a redrive takes them. If it is too large for the queue with all of them, it is sent without the exception's stack, then without the
/// details, then without the reason, which the log has, and at last without its own attributes.
/// </summary>
internal sealed class SqsDeadLetters(SqsClient client, SqsSourceLog log)
{
    public const string ReasonAttribute = "DeadLetterReason";
    public const string DetailsAttribute = "DeadLetterDetails";

    /// <exception cref="Aws.AwsServiceException">The dead letter was not sent; the message must not be deleted.</exception>
    public async ValueTask SendAsync(SqsQueues queues, SqsReceivedMessage message, DeadLetter letter, CancellationToken cancellationToken)
    {
        SqsMessageAttribute[] own =
        [
            .. message.MessageAttributes.ToList()
                .Where(attribute => attribute.Name is not ReasonAttribute and not DetailsAttribute)

                // The details have values, but no types and no bytes.
                .OrderBy(attribute => attribute.DataType == "String"),
        ];
        SqsMessageAttribute[] most = own.Length > SqsLimits.MessageAttributes - 2 ? own[..(SqsLimits.MessageAttributes - 2)] : own;
        SqsMessageAttribute reason = new(ReasonAttribute, "String", letter.Reason);
        SqsMessageAttribute details = new(DetailsAttribute, "String", letter.ToJson());
        SqsMessageAttribute[][] complete = letter.Exception is null
            ? [[.. most, reason, details]]
            : [[.. most, reason, details], [.. most, reason, new(DetailsAttribute, "String", (letter with { Exception = null }).ToJson())]];
        SqsMessageAttribute[][] choices = own.Length == 0
            ? [.. complete, [reason], []]
            : [.. complete, .. own.Length < SqsLimits.MessageAttributes ? (SqsMessageAttribute[][])[[.. own, reason]] : [], own, [reason], []];
        SendEntry entry = new(message.Body)
        {
            GroupId = message.Group,

            // Of FIFO queues only. It deduplicates a dead letter that was sent, but whose answer or delete failed. The message's own id, which the queue of the
            // dead letters may still remember from before a redrive, would drop it there.
            DeduplicationId = queues.IsFifo ? letter.SourceId : null,
        };

        // The queue's own limit (MaximumMessageSize) may be lower than the service's. Reading it needs a permission, so the queue's answer decides.
        int choice = Array.FindIndex(
            choices,
            attributes => attributes.Length == 0 || message.Body.Length + attributes.Sum(static attribute => attribute.Bytes) <= SqsLimits.MessageBytes);
        while (!await TrySendAsync(queues.DeadLetterUrl, entry with { Attributes = choices[choice] }, cancellationToken))
        {
            choice++;
        }

        if (own.Length > 0 && choice >= choices.Length - 2)
        {
            log.DeadLetterWithoutAttributes(UntrustedText.Shorten(message.SourceId.Span));
        }
    }

    /// <returns>False when the queue refused it with its attributes, and may take it with fewer.</returns>
    private async ValueTask<bool> TrySendAsync(string queueUrl, SendEntry entry, CancellationToken cancellationToken)
    {
        try
        {
            await client.SendAsync(queueUrl, entry, cancellationToken);
            return true;
        }
        catch (AwsServiceException exception) when (IsRefusal(exception) && entry.Attributes is { Count: > 0 })
        {
            return false;
        }
        catch (AwsServiceException exception) when (IsRefusal(exception))
        {
            throw AwsServiceException.Local(
                exception.Kind,
                exception.Operation,
                exception.Code,
                $"the dead-letter queue refused even the body alone ({entry.Body.Length:N0} bytes); if its MaximumMessageSize is lower, "
                    + $"raise it to that of the queue: {exception.Detail}",
                exception);
        }
    }

    // By the service itself. A proxy's page says nothing about the message's size.
    private static bool IsRefusal(AwsServiceException exception) =>
        exception is { Kind: AwsErrorKind.Rejected, Status: 400 } && !exception.Code.StartsWith("HTTP ", StringComparison.Ordinal);
}
