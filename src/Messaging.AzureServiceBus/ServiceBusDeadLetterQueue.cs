using System.Net.WebSockets;
using System.Runtime.CompilerServices;
using System.Text;
using Azure.Messaging.ServiceBus;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.DeadLetters.Redrive;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.AzureServiceBus;

/// <summary>The dead-letter queue of a queue of Service Bus for a redrive, which looks at all dead letters first and locks none in a dry run.</summary>
/// <param name="client">The client; owned by this object.</param>
/// <param name="options">The queue.</param>
/// <param name="request">What to redrive.</param>
/// <param name="time">The clock.</param>
internal sealed class ServiceBusDeadLetterQueue(ServiceBusClient client, ServiceBusSourceOptions options, RedriveRequest request, TimeProvider time)
    : IDeadLetterQueue
{
    private const int PageSize = 250;

    // Sequence numbers passed over to get past dead letters that the client cannot convert.
    private const int MaxSkipped = 10_000;

    private static readonly TimeSpan ReceiveWait = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan CloseLimit = TimeSpan.FromSeconds(3);

    private readonly ServiceBusReceiver _letters =
        client.CreateReceiver(options.Queue, new ServiceBusReceiverOptions { SubQueue = SubQueue.DeadLetter });

    private readonly ServiceBusSender _queue = client.CreateSender(options.Queue);

    // New message id -> name of the dead letter.
    private readonly Dictionary<string, string> _sent = new(StringComparer.Ordinal);
    private long _next;
    private long _firstNewcomer = long.MaxValue;
    private int _skipped;

    public string HiddenUntil =>
        "their locks end (with --reason, those of other reasons may come before them: raise the queue's LockDuration, or redrive without it)";

    public IReadOnlyList<string> Notes => _skipped == 0 ? []
        : ["At least one dead letter cannot be read by the client; it stays. Use Service Bus Explorer in Azure's portal."];

    public async ValueTask<(long Count, long Hidden)> CountAsync(CancellationToken cancellationToken)
    {
        if (request is { DryRun: false, ToFolder: false })
        {
            // Opens the link, so that a missing right Send fails here and not once per dead letter.
            (await _queue.CreateMessageBatchAsync(cancellationToken)).Dispose();
        }

        return default;
    }

    public async IAsyncEnumerable<QueuedDeadLetter> PeekAsync([EnumeratorCancellation] CancellationToken cancellationToken)
    {
        int size = PageSize;
        while (true)
        {
            IReadOnlyList<ServiceBusReceivedMessage>? page = await PeekPageAsync(size, cancellationToken);
            if (page is { Count: 0 })
            {
                break;
            }

            if (page is null)
            {
                // One of the page; its number is found by looking one by one.
                _next += size == 1 ? 1 : 0;
                _skipped += size == 1 ? 1 : 0;
                size = 1;
                continue;
            }

            foreach (ServiceBusReceivedMessage letter in page)
            {
                yield return Letter(letter);
            }

            _next = page[^1].SequenceNumber + 1;
            size = PageSize;
        }

        _firstNewcomer = Math.Min(_firstNewcomer, _next);
    }

    /// <summary>One by one: a batch's remaining credit would lock dead letters that this run does not take.</summary>
    public async ValueTask<IReadOnlyList<QueuedDeadLetter>?> ReceiveAsync(CancellationToken cancellationToken)
    {
        try
        {
            return await _letters.ReceiveMessageAsync(ReceiveWait, cancellationToken) is { } letter ? [Letter(letter)] : [];
        }
        catch (Exception exception) when (ServiceBusFault.Of(exception).Kind == ServiceBusFaultKind.Unreadable)
        {
            // It stays locked until its lock ends.
            return [];
        }
    }

    public async ValueTask<SentTo> SendBackAsync(QueuedDeadLetter letter, CancellationToken cancellationToken)
    {
        // The message as it was sent, but for its id.
        ServiceBusReceivedMessage received = MessageOf(letter);
        ServiceBusMessage message = new(received);
        message.ApplicationProperties.Remove(DeadLetterText.DetailsProperty);
        ServiceBusDelivery.SetNewId(message, ServiceBusDelivery.OriginalId(received) ?? received.MessageId ?? string.Empty);

        // The client looks at the token between its attempts only.
        await _queue.SendMessageAsync(message, cancellationToken).WaitAsync(cancellationToken);
        _sent.Add(message.MessageId, letter.Name);
        return SentTo.Queue;
    }

    public async ValueTask DeleteAsync(QueuedDeadLetter letter, CancellationToken cancellationToken) =>
        await _letters.CompleteMessageAsync(MessageOf(letter), cancellationToken).WaitAsync(cancellationToken);

    /// <summary>Ends their locks; where that fails they end by themselves.</summary>
    public async ValueTask ReleaseAsync(IReadOnlyCollection<object> receipts, CancellationToken cancellationToken) =>
        await Parallel.ForEachAsync(receipts.Cast<ServiceBusReceivedMessage>(), new ParallelOptions { MaxDegreeOfParallelism = 32 }, async (letter, _) =>
            await _letters
                .AbandonMessageAsync(letter, cancellationToken: cancellationToken)
                .WaitAsync(cancellationToken)
                .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing));

    // Without the worker's record the broker or another program moved it, or the record did not fit.
    public DeadLetter Describe(QueuedDeadLetter letter)
    {
        ServiceBusReceivedMessage message = MessageOf(letter);

        // Throws for one that the folder cannot keep.
        AmqpBody.Read(message.GetRawAmqpMessage().Body);
        DeadLetter? record =
            DeadLetter.FromJson(message.ApplicationProperties.TryGetValue(DeadLetterText.DetailsProperty, out object? details) ? details as string : null);
        return new DeadLetter
        {
            SourceId = (ServiceBusDelivery.OriginalId(message) ?? message.MessageId) is { Length: > 0 } id
                ? id
                : record?.SourceId ?? $"sequence-{message.SequenceNumber}",
            Source = ServiceBusMessageSource.SourceName,
            Route = string.Empty,
            Reason = string.IsNullOrEmpty(letter.Reason) ? DeadLetter.Unspecified : letter.Reason,
            Description = letter.Description ?? string.Empty,
            ExceptionType = record?.ExceptionType,
            Exception = record?.Exception,
            Attempts = record?.Attempts ?? message.DeliveryCount,
            FirstSeen = record?.FirstSeen ?? message.EnqueuedTime,
            LastSeen = record?.LastSeen ?? message.EnqueuedTime,
            Attributes = ServiceBusDelivery.AttributesOf(message)
                .Where(static attribute =>
                    attribute.Key is not (DeadLetterText.DetailsProperty or ServiceBusDelivery.OriginalIdProperty or "DeadLetterReason"
                        or "DeadLetterErrorDescription"))
                .ToDictionary(StringComparer.Ordinal),
            Group = ServiceBusDelivery.GroupOf(message),
            DeduplicationId = string.IsNullOrEmpty(message.MessageId) ? null : message.MessageId,
            SystemProperties = ServiceBusDelivery.SystemPropertiesOf(message),
        };
    }

    public QueueFault? Explain(Exception exception)
    {
        // The client throws exceptions of other types for faults of the transport and the credentials, which have kinds of their own, and for some refusals
        // of the broker (ArgumentException, InvalidOperationException), which end with the broker's number for them.
        ServiceBusFault fault = ServiceBusFault.Of(exception);
        bool isDefect = fault.Kind == ServiceBusFaultKind.Other
            && exception is not (ServiceBusException or WebSocketException)
            && !exception.Message.Contains("TrackingId:", StringComparison.OrdinalIgnoreCase);
        return isDefect ? null : new QueueFault(
            fault.Message,
            fault.ToStartupException(options.Queue!, "the rights Listen and Send (roles Azure Service Bus Data Receiver and Data Sender)"),
            IsOfMessage: fault.Kind == ServiceBusFaultKind.TooLarge);
    }

    // The client waits for calls that the broker does not answer.
    public async ValueTask DisposeAsync() =>
        await client.DisposeAsync().AsTask().WaitAsync(CloseLimit, time).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);

    /// <returns>Null when the client cannot convert one of the page.</returns>
    private async Task<IReadOnlyList<ServiceBusReceivedMessage>?> PeekPageAsync(int size, CancellationToken cancellationToken)
    {
        try
        {
            return await _letters.PeekMessagesAsync(size, _next, cancellationToken);
        }
        catch (Exception exception) when (_skipped < MaxSkipped && ServiceBusFault.Of(exception).Kind == ServiceBusFaultKind.Unreadable)
        {
            return null;
        }
    }

    private QueuedDeadLetter Letter(ServiceBusReceivedMessage letter)
    {
        string name = UntrustedText.Shorten(string.IsNullOrEmpty(letter.MessageId) ? $"sequence-{letter.SequenceNumber}" : letter.MessageId);
        ReadOnlyMemory<byte> body = request.Bodies || request.ToFolder ? BodyOf(letter) : default;
        return new QueuedDeadLetter($"{letter.SequenceNumber}", name, letter.DeadLetterReason, letter)
        {
            Columns = $"{name}  {letter.EnqueuedTime:u}",
            Description = letter.DeadLetterErrorDescription,
            Body = body,
            BodyLength = body.Length,

            // Without the body, which would stay in memory with those that stay.
            Receipt = Guid.TryParse(letter.LockToken, out Guid token) ? ServiceBusModelFactory.ServiceBusReceivedMessage(lockTokenGuid: token) : null,
            SentAs = letter.MessageId is { } id ? _sent.GetValueOrDefault(id) : null,
            IsNewcomer = letter.SequenceNumber >= _firstNewcomer,
        };
    }

    private static ReadOnlyMemory<byte> BodyOf(ServiceBusReceivedMessage letter)
    {
        try
        {
            return AmqpBody.Read(letter.GetRawAmqpMessage().Body);
        }
        catch (DeadLetterException exception)
        {
            return Encoding.UTF8.GetBytes($"({exception.Message})");
        }
    }

    private static ServiceBusReceivedMessage MessageOf(QueuedDeadLetter letter) => (ServiceBusReceivedMessage)letter.Message!;
}
