using System.Text;
using Quayside.Messaging.Aws.Sqs.Wire;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.DeadLetters.Redrive;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Aws.Sqs;

/// <summary>
/// The dead-letter queue of an SQS queue for a redrive. A message gets a new id when it is sent to the queue; the worker records that id in
/// <c>DeadLetterDetails</c>, and a redrive policy keeps it, so that one which is dead-lettered again is recognised. One without details is recognised by its
/// time. While dead letters stay, a FIFO queue returns only the first ten of a group, so a filter or a dry run may not see all.
/// </summary>
/// <param name="client">The client; owned by this object.</param>
/// <param name="options">The queue.</param>
/// <param name="time">The clock.</param>
internal sealed class SqsDeadLetterQueue(SqsClient client, SqsSourceOptions options, TimeProvider time) : IDeadLetterQueue
{
    // Long enough to look at a large queue without receiving many dead letters twice; those that stay are made visible at the end.
    private const int HiddenSeconds = 120;

    private const int FailedReceives = 5;

    private static readonly Backoff ReceiveBackoff = new(TimeSpan.FromMilliseconds(200), TimeSpan.FromSeconds(5));

    private readonly SqsQueueReference _queue = SqsQueueReference.Parse(options.Queue!)!;

    // Names of dead letters, by the id that the queue gave the sent message.
    private readonly Dictionary<Guid, string> _sent = [];
    private SqsReceivedMessage[] _batch = [];
    private SqsQueues? _queues;
    private long? _beganUnixMs;

    public string HiddenUntil => $"their visibility timeout ends ({HiddenSeconds} s after a redrive received them)";

    public async ValueTask<(long Count, long Hidden)> CountAsync(CancellationToken cancellationToken)
    {
        _queues = await new SqsQueueFinder(client, _queue, options).FindAsync(cancellationToken);
        QueueAttributes letters = await client.GetQueueAttributesAsync(_queues.DeadLetterUrl, cancellationToken);
        return (letters.Messages + letters.MessagesInFlight + letters.MessagesDelayed, letters.MessagesInFlight);
    }

    public async ValueTask<IReadOnlyList<QueuedDeadLetter>?> ReceiveAsync(CancellationToken cancellationToken)
    {
        ReleaseBodies();
        SqsReceivedMessage[] messages = [.. Enumerable.Range(0, SqsLimits.BatchEntries).Select(static _ => new SqsReceivedMessage(owner: null))];
        for (int attempt = 1; ; attempt++)
        {
            try
            {
                (int count, _, _) = await client.ReceiveAsync(_queues!.DeadLetterUrl, waitSeconds: 1, HiddenSeconds, messages, cancellationToken);
                _batch = messages[..count];
                break;
            }
            catch (AwsServiceException exception) when (attempt < FailedReceives && exception.Kind is AwsErrorKind.Transient or AwsErrorKind.Throttled)
            {
                await Task.Delay(ReceiveBackoff.After(attempt), time, cancellationToken);
            }
        }

        if (_batch.Length > 0)
        {
            _beganUnixMs ??= BeginOf(_batch);
        }

        return [.. _batch.Select(Letter)];
    }

    public async ValueTask<SentTo> SendBackAsync(QueuedDeadLetter letter, CancellationToken cancellationToken)
    {
        (SqsReceivedMessage message, SqsMessageAttribute[] attributes, _) = (Received)letter.Message!;

        // A new deduplication id: SQS may still remember the old one, also of an equal message that this run sent, and would then drop the message.
        SendEntry entry = new(
            message.Body, [.. attributes.Take(SqsLimits.MessageAttributes)], message.Group, _queues!.IsFifo ? Guid.NewGuid().ToString("d") : null);
        _sent[KeyOf(await client.SendAsync(_queues.Url, entry, cancellationToken))] = letter.Name;
        return SentTo.Queue;
    }

    public async ValueTask DeleteAsync(QueuedDeadLetter letter, CancellationToken cancellationToken)
    {
        BatchEntryResult[] results = new BatchEntryResult[1];
        await client.DeleteBatchAsync(_queues!.DeadLetterUrl, new[] { ((Received)letter.Message!).Message.Handle }, results, cancellationToken);
        if (!results[0].Succeeded)
        {
            throw new IOException(results[0].Code);
        }
    }

    public async ValueTask ReleaseAsync(IReadOnlyCollection<object> receipts, CancellationToken cancellationToken) => await Parallel.ForEachAsync(
        receipts.Cast<ReadOnlyMemory<byte>>().Chunk(SqsLimits.BatchEntries),
        new ParallelOptions { MaxDegreeOfParallelism = 8, CancellationToken = cancellationToken },
        async (handles, token) =>
        {
            VisibilityChange[] changes = [.. handles.Select(handle => new VisibilityChange(handle, VisibilitySeconds: 0))];
            await client.ChangeVisibilityBatchAsync(_queues!.DeadLetterUrl, changes, new BatchEntryResult[changes.Length], token);
        });

    public DeadLetter Describe(QueuedDeadLetter letter)
    {
        (SqsReceivedMessage message, SqsMessageAttribute[] attributes, SqsDeadLetterDetails details) = (Received)letter.Message!;
        if (Array.Find(attributes, static attribute => attribute.StringValue is null) is { } binary)
        {
            throw new DeadLetterException(
                DeadLetter.Unspecified,
                $"its attribute {UntrustedText.Shorten(binary.Name)} is binary, which the folder cannot keep. Redrive it to the queue, without --to folder");
        }

        // Without the worker's record a redrive policy moved it, or the record did not fit.
        DeadLetter? record = details.Record;
        DateTimeOffset lastSeen = details.LastSeen ?? message.EnqueuedAt ?? time.GetUtcNow();
        return new DeadLetter
        {
            SourceId = details.SourceId ?? Encoding.UTF8.GetString(message.SourceId.Span),
            Source = SqsMessageSource.SourceName,
            Route = string.Empty,
            Reason = letter.Reason ?? DeadLetter.Unspecified,
            Description = details.Description ?? "SQS, or another program, moved it to the dead-letter queue without the worker's record.",
            ExceptionType = record?.ExceptionType,
            Exception = record?.Exception,
            Attempts = record?.Attempts ?? message.DeliveryCount,
            FirstSeen = record?.FirstSeen ?? lastSeen,
            LastSeen = lastSeen,
            Attributes = attributes.ToDictionary(static attribute => attribute.Name, static attribute => attribute.StringValue!, StringComparer.Ordinal),
            Group = message.Group,
            DeduplicationId = record?.DeduplicationId,
        };
    }

    public QueueFault? Explain(Exception exception) => exception is not AwsServiceException fault ? null : new(
        fault.Message,
        new StartupException(
            $"Queue {_queue.Name}: {fault.Message}. Check the queue's name, Aws:Region, Aws:Endpoint and the credentials (deploy/iam/redrive-policy.json).",
            fault.Kind is AwsErrorKind.Refused or AwsErrorKind.ExpiredCredentials ? ExitCodes.NoPermission : ExitCodes.Unavailable, fault),
        IsOfMessage: fault.Kind is AwsErrorKind.Rejected);

    public ValueTask DisposeAsync()
    {
        ReleaseBodies();
        client.Dispose();
        return default;
    }

    private void ReleaseBodies()
    {
        foreach (SqsReceivedMessage message in _batch)
        {
            message.ReleaseBody();
        }

        _batch = [];
    }

    /// <summary>
    /// When the redrive began, by the first messages of the queue, all of which were there before: nothing has been sent yet. A message that is received for
    /// the first time shows the service's clock, which may differ from this machine's.
    /// </summary>
    private long BeginOf(SqsReceivedMessage[] first)
    {
        long latest = first.Max(static message => Math.Max(message.SentUnixMs, message.FirstReceiveUnixMs));
        return Array.Exists(first, static message => message is { ReceiveCount: 1, FirstReceiveUnixMs: > 0 })
            ? latest
            : Math.Max(latest, time.GetUtcNow().ToUnixTimeMilliseconds());
    }

    private QueuedDeadLetter Letter(SqsReceivedMessage message)
    {
        IReadOnlyList<SqsMessageAttribute> all = message.MessageAttributes.ToList();
        string? reason = all.FirstOrDefault(static found => found.Name == SqsDeadLetters.ReasonAttribute)?.StringValue;
        SqsDeadLetterDetails details = SqsDeadLetterDetails.Read(all);
        string name = UntrustedText.Shorten(message.SourceId.Span);
        string? sentAs = _sent.GetValueOrDefault(message.Key) ?? (details.SourceId is { } id ? _sent.GetValueOrDefault(KeyOf(id)) : null);

        // The message's own come first; those that it had no room for are in the details.
        SqsMessageAttribute[] attributes =
        [
            .. all
                .Concat(details.Attributes)
                .Where(static attribute => attribute.Name is not SqsDeadLetters.ReasonAttribute and not SqsDeadLetters.DetailsAttribute)
                .DistinctBy(static attribute => attribute.Name),
        ];
        return new QueuedDeadLetter(message.Key.ToString(), name, reason, new Received(message, attributes, details))
        {
            ShownReason = reason is null ? "(moved by SQS)" : UntrustedText.Shorten(reason),
            Columns = $"{name}  {details.LastSeen ?? message.EnqueuedAt ?? time.GetUtcNow():u}",
            Description = details.Description,
            Body = message.Body,
            BodyLength = message.Body.Length,
            Receipt = message.Handle,
            SentAs = sentAs,
            IsNewcomer = message.SentUnixMs > _beganUnixMs,
        };
    }

    private static Guid KeyOf(string id) => SqsReceivedMessage.KeyOf(Encoding.UTF8.GetBytes(id));

    /// <summary>A received dead letter.</summary>
    /// <param name="Message">As received.</param>
    /// <param name="Attributes">Its own attributes: without those that the worker added, with those that only the record has.</param>
    /// <param name="Details">The worker's record.</param>
    private sealed record Received(SqsReceivedMessage Message, SqsMessageAttribute[] Attributes, SqsDeadLetterDetails Details);
}
