using System.Text.Json;
using Worker.DeadLetters;
using Worker.Sources.Sqs.Wire;

namespace Worker.Sources.Sqs;

/// <summary>
/// Sends poison to the dead-letter queue: the body unchanged, its attributes kept, the reason as attribute
/// <c>DeadLetterReason</c> and the rest of the record as JSON in <c>DeadLetterDetails</c>. Where an original message uses so
/// many attributes that these two do not fit, the last originals are in the details only.
/// </summary>
internal sealed class SqsDeadLetters(SqsClient client)
{
    public const string ReasonAttribute = "DeadLetterReason";
    public const string DetailsAttribute = "DeadLetterDetails";

    /// <exception cref="Aws.AwsServiceException">It was not sent; the message must not be given up.</exception>
    public async ValueTask SendAsync(SqsQueues queues, SqsReceivedMessage message, DeadLetter letter, CancellationToken cancellationToken)
    {
        IEnumerable<SqsMessageAttribute> kept = message.Wire.Attributes.ToList()
            .Where(attribute => attribute.Name is not ReasonAttribute and not DetailsAttribute)
            .Take(SqsLimits.MessageAttributes - 2);
        List<SqsMessageAttribute> attributes =
        [
            .. kept,
            new SqsMessageAttribute(ReasonAttribute, "String", letter.Reason),
            new SqsMessageAttribute(DetailsAttribute, "String", JsonSerializer.Serialize(letter, DeadLetterJson.Default.DeadLetter)),
        ];
        SendEntry entry = new(message.Body, attributes);
        if (queues.IsFifo)
        {
            // The id deduplicates a dead letter that was sent, but whose answer or delete was lost.
            entry = entry with { GroupId = Text(message.Wire.GroupId), DeduplicationId = letter.SourceId };
        }

        await client.SendAsync(queues.DeadLetterUrl, entry, cancellationToken);
    }

    private static string Text(ReadOnlyMemory<byte> ascii) => System.Text.Encoding.ASCII.GetString(ascii.Span);
}
