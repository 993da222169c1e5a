using Quayside.Messaging.Aws.Sqs.Wire;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Publishing;
using Quayside.Pipeline.Buffers;
using Quayside.Pipeline.Messages;

namespace Quayside.Messaging.Aws.Sqs;

/// <summary>Sends messages to the queue of <c>Sources:Sqs</c>, up to ten and 1 MiB per call.</summary>
internal sealed class SqsSender : IMessageSender
{
    // FIFO queues need groups; a few show the order within a group and the parallelism between groups.
    private const int Groups = 8;

    // This many failed calls in a row show that the service fails, not the messages.
    private const int FailedCalls = 5;

    private readonly SqsClient _client;
    private readonly string _queueUrl;
    private readonly bool _isFifo;
    private int _failedCalls;
    private volatile string? _problem;

    private SqsSender(SqsClient client, SqsQueueReference queue, string queueUrl)
    {
        _client = client;
        _queueUrl = queueUrl;
        _isFifo = queue.IsFifo;
        Destination = queue.Destination;
    }

    public string Target => Destination.Name;

    public MessageDestination Destination { get; }

    MessageDestination? IMessageSender.Destination => Destination;

    public string Accepted => "sent to";

    public int Concurrency => 8;

    public int BatchSize => SqsLimits.BatchEntries;

    public bool SendsGroups => true;

    public bool SendsDeduplicationIds => _isFifo;

    public string? Problem => _problem;

    /// <exception cref="StartupException">The queue is missing, refuses access or is unreachable.</exception>
    public static async Task<IMessageSender> OpenAsync(SqsSourceOptions options, AwsOptions aws, TimeProvider time, CancellationToken cancellationToken)
    {
        SqsQueueReference queue = SqsQueueReference.Parse(options.Queue!)!;
        SqsClient client = SqsClient.Create(aws, queue, new SqsWireOptions(), BufferPool.Shared, time);
        try
        {
            return new SqsSender(client, queue, await client.GetQueueUrlAsync(queue, cancellationToken));
        }
        catch (AwsServiceException exception)
        {
            client.Dispose();
            throw new StartupException(
                $"Queue {queue.Name}: {exception.Message}. Check the queue's name, Aws:Region, Aws:Endpoint and the credentials.",
                exception.Kind is AwsErrorKind.Refused or AwsErrorKind.ExpiredCredentials ? ExitCodes.NoPermission : ExitCodes.Unavailable, exception);
        }
    }

    public string? CheckAttribute(string name, string value) => SqsLimits.FindAttributeProblem(name, value);

    public async Task<string?[]> SendAsync(IReadOnlyList<OutgoingMessage> messages, CancellationToken cancellationToken)
    {
        string?[] errors = new string?[messages.Count];
        IReadOnlyList<SqsMessageAttribute>? attributes = SqsTraceContext.Current();
        SendEntry[] entries = [.. messages.Select(message => ToEntry(message, attributes))];
        for (int start = 0, end; start < entries.Length; start = end)
        {
            end = EndOfCall(entries, start);
            await SendCallAsync(entries.AsMemory(start..end), errors.AsMemory(start..end), cancellationToken);
        }

        return errors;
    }

    public void Dispose() => _client.Dispose();

    // A message that exceeds the limit by itself gets a call of its own, so that only this message is refused.
    private static int EndOfCall(SendEntry[] entries, int start)
    {
        long bytes = 0;
        int end = start;
        while (end < entries.Length)
        {
            bytes += entries[end].Body.Length + (entries[end].Attributes?.Sum(static attribute => attribute.Bytes) ?? 0);
            if (bytes > SqsLimits.MessageBytes && end > start)
            {
                break;
            }

            end++;
        }

        return end;
    }

    private async Task SendCallAsync(ReadOnlyMemory<SendEntry> entries, Memory<string?> errors, CancellationToken cancellationToken)
    {
        BatchEntryResult[] results = new BatchEntryResult[entries.Length];
        try
        {
            await _client.SendBatchAsync(_queueUrl, entries, results, cancellationToken);
            _failedCalls = 0;
            for (int i = 0; i < results.Length; i++)
            {
                errors.Span[i] = results[i].Succeeded ? null : $"{results[i].Code} {results[i].Detail}";
            }
        }
        catch (AwsServiceException exception)
        {
            errors.Span.Fill(exception.Message);
            if (exception.Kind is not AwsErrorKind.Rejected && Interlocked.Increment(ref _failedCalls) >= FailedCalls)
            {
                _problem = exception.Message;
            }
        }
    }

    private SendEntry ToEntry(OutgoingMessage message, IReadOnlyList<SqsMessageAttribute>? trace)
    {
        IReadOnlyList<SqsMessageAttribute>? attributes = message.Attributes.Count == 0
            ? trace
            : [.. message.Attributes
                .Select(attribute => new SqsMessageAttribute(attribute.Key, "String", attribute.Value))
                .Concat(trace ?? [])
                .DistinctBy(attribute => attribute.Name, StringComparer.Ordinal)
                .Take(SqsLimits.MessageAttributes)];

        // A new deduplication id for a redriven one: SQS may still remember the old one, and would then drop the message.
        return _isFifo
            ? new SendEntry(
                message.Body, attributes, GroupId: message.Group ?? $"group-{message.Id[^1] % Groups}",
                DeduplicationId: message.IsRedriven ? Guid.NewGuid().ToString("d") : message.DeduplicationId ?? message.Id)
            : new SendEntry(message.Body, attributes, GroupId: message.Group);
    }
}
