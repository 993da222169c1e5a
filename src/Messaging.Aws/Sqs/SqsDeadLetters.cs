using System.Text;
using Messaging.Aws.Sqs.Wire;
using Messaging.DeadLetters;

namespace Messaging.Aws.Sqs;

/// <summary>
/// Sends poison to the dead-letter queue: the body and the attributes unchanged, the reason as attribute <c>DeadLetterReason</c> and the
/// rest of the record as JSON in <c>DeadLetterDetails</c>. If the message has too many attributes for these two, its last ones are only in
/// the details. If it is too long for them, it is sent without the details or without both: the log has them.
/// </summary>
internal sealed class SqsDeadLetters(SqsClient client)
{
    public const string ReasonAttribute = "DeadLetterReason";
    public const string DetailsAttribute = "DeadLetterDetails";

    /// <exception cref="Aws.AwsServiceException">The dead letter was not sent; the message must not be deleted.</exception>
    public async ValueTask SendAsync(SqsQueues queues, SqsReceivedMessage message, DeadLetter letter, CancellationToken cancellationToken)
    {
        List<SqsMessageAttribute> attributes =
        [
            .. message.Wire.Attributes.ToList()
                .Where(attribute => attribute.Name is not ReasonAttribute and not DetailsAttribute)
                .Take(SqsLimits.MessageAttributes - 2),
        ];
        int room = SqsLimits.MessageBytes - message.Body.Length - attributes.Sum(SizeOf);
        AddIfItFits(attributes, new SqsMessageAttribute(ReasonAttribute, "String", letter.Reason), ref room);
        AddIfItFits(attributes, new SqsMessageAttribute(DetailsAttribute, "String", letter.ToJson()), ref room);
        SendEntry entry = new(message.Body, attributes);
        if (queues.IsFifo)
        {
            // The id deduplicates a dead letter that was sent, but whose answer or delete failed.
            entry = entry with { GroupId = Encoding.UTF8.GetString(message.Wire.GroupId.Span), DeduplicationId = letter.SourceId };
        }

        await client.SendAsync(queues.DeadLetterUrl, entry, cancellationToken);
    }

    private static void AddIfItFits(List<SqsMessageAttribute> attributes, SqsMessageAttribute attribute, ref int room)
    {
        if (SizeOf(attribute) <= room)
        {
            attributes.Add(attribute);
            room -= SizeOf(attribute);
        }
    }

    // As the service counts: "the name, type, value, and the message body".
    private static int SizeOf(SqsMessageAttribute attribute) =>
        Encoding.UTF8.GetByteCount(attribute.Name) + Encoding.UTF8.GetByteCount(attribute.DataType)
        + (attribute.StringValue is { } text ? Encoding.UTF8.GetByteCount(text) : attribute.BinaryValue.Length);
}
