using Quayside.Messaging.Aws.Sqs.Wire;
using Quayside.Messaging.Configuration;

namespace Quayside.Messaging.Aws.Sqs;

/// <summary>Section <c>Sources:Sqs</c>. Region, endpoint and credentials are in section <c>Aws</c>.</summary>
internal sealed class SqsSourceOptions : ISelfValidating
{
    public const string Section = "Sources:Sqs";

    [Setting("The queue: a name, a URL or an ARN", Required = true, Consequence = "There would be nothing to receive from.")]
    public string? Queue { get; init; }

    [Setting("The dead-letter queue: a name, a URL or an ARN; without it the target of the queue's redrive policy")]
    public string? DeadLetterQueue { get; init; }

    [Setting(
        "How long a received message stays hidden; renewed at half of it while the message is in flight", Min = "30s", Max = "12h",
        Consequence = "Below 30s a slow store outlasts it and messages are redelivered; SQS refuses more than 12h.")]
    public TimeSpan VisibilityTimeout { get; init; } = TimeSpan.FromSeconds(60);

    [Setting(
        "How long a message is held, with its visibility renewed, while the sink fails; then it is abandoned. Once it has used half of the queue's "
            + "maxReceiveCount, it is held for nearly 12h instead", Min = "1m", Max = "12h",
            Consequence = "SQS ends a message's invisibility after 12h despite renewals; a short time uses up deliveries in an outage.")]
    public TimeSpan MaxHoldTime { get; init; } = TimeSpan.FromMinutes(15);

    [Setting(
        "Long-poll time of one receive, whole seconds", Min = "0s", Max = "20s",
        Consequence = "Short polls cost money and miss messages; SQS allows at most 20s.", Advanced = true)]
    public TimeSpan WaitTime { get; init; } = TimeSpan.FromSeconds(20);

    [Setting(
        "How long an acknowledgement may wait for others to share its call (batches of 10)", Min = "0ms", Max = "5s",
        Consequence = "A kill within this time causes redeliveries, which end as duplicates.", Advanced = true)]
    public TimeSpan AcknowledgeDelay { get; init; } = TimeSpan.FromMilliseconds(100);

    [Setting(
        "Ids of settled messages to remember, so that a redelivery is deleted and not stored again", Min = "0", Max = "10000000",
        Consequence = "A redelivered message that is not remembered is compared with its object, which costs a request.", Advanced = true)]
    public int DoneIds { get; init; } = 10_000;

    public void Validate(SettingsCheck check)
    {
        if (Queue is not null && SqsQueueReference.Parse(Queue) is null)
        {
            check.Fail(
                nameof(Queue),
                "must be a queue's name, its URL (https://sqs.eu-west-1.amazonaws.com/123456789012/name) or its ARN (arn:aws:sqs:eu-west-1:123456789012:name); "
                    + "keys belong in the section Aws.");
        }

        if (DeadLetterQueue is not null && SqsQueueReference.Parse(DeadLetterQueue) is null)
        {
            check.Fail(nameof(DeadLetterQueue), "must be a queue's name, its URL or its ARN.");
        }

        if (Queue is not null && string.Equals(Queue, DeadLetterQueue, StringComparison.Ordinal))
        {
            check.Fail(nameof(DeadLetterQueue), "must be another queue than Queue.", "Poison messages would be redelivered forever.", nameof(Queue));
        }

        if (MaxHoldTime < VisibilityTimeout)
        {
            check.Fail(nameof(MaxHoldTime), "must not be below VisibilityTimeout.", "Messages would never be renewed.", nameof(VisibilityTimeout));
        }
    }
}
