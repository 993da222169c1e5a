using System.Diagnostics;
using System.Globalization;
using System.Text;
using Azure.Messaging.ServiceBus;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.AzureServiceBus;

/// <summary>
/// One delivery of a message, under its lock. Settling only records the decision: the run's call waits for it and carries it out while the
/// lock is still renewed. The client allocates some kilobytes per message (docs/evidence/profile.md), so this object is not pooled.
/// </summary>
internal sealed class ServiceBusDelivery : ReceivedMessage, ILocked
{
    /// <summary>The property of a redriven message that holds the id with which it was sent first.</summary>
    public const string OriginalIdProperty = "RedrivenMessageId";

    // A message id has at most 128 characters; the new one gets 33 more.
    private const int KeptIdLength = 90;

    private static readonly string[] SystemPropertyNames = ["subject", "correlation-id", "content-type", "to", "reply-to"];

    private readonly ServiceBusReceivedMessage _message;
    private readonly ReceiveRun _run;
    private readonly int _call;
    private readonly RenewedLock _lock;

    // The slot that decides also begins the settlement: that spares a change of threads, and the slot does not wait for it.
    private readonly TaskCompletionSource<Settlement> _decision = new();
    private ReadOnlyMemory<byte>? _body;
    private byte[]? _id;
    private volatile bool _isSettled;

    public ServiceBusDelivery(ServiceBusReceivedMessage message, ReceiveRun run, int call)
    {
        _message = message;
        _run = run;
        _call = call;
        _lock = new RenewedLock(message.LockedUntil, run.Log, run.Time);
    }

    /// <summary>Identifies the message across all of its deliveries.</summary>
    public MessageKey Key => new(_message.SequenceNumber, _message.EnqueuedTime);

    /// <summary>The route's decision, when it is due: that to abandon a message after its delay, or at the end of the run. Always completes.</summary>
    public Task<Settlement> Decision => _decision.Task;

    // The client's own Body property supports data sections only.
    public override ReadOnlyMemory<byte> Body => _body ??= AmqpBody.Read(_message.GetRawAmqpMessage().Body);

    /// <summary>The sender's message id, which may be any text, also after a redrive; <c>sequence-{number}</c> when there is none.</summary>
    public string Id => (OriginalId(_message) ?? _message.MessageId) is { Length: > 0 } id ? id : $"sequence-{_message.SequenceNumber}";

    public override ReadOnlyMemory<byte> SourceId => _id ??= Encoding.UTF8.GetBytes(Id);

    public override int DeliveryCount => Math.Max(1, _message.DeliveryCount);

    public override DateTimeOffset? EnqueuedAt => _message.EnqueuedTime == default ? null : _message.EnqueuedTime;

    public override IReadOnlyList<KeyValuePair<string, string>> Attributes => AttributesOf(_message);

    /// <summary>The session; without one the partition key.</summary>
    public override string? Group => GroupOf(_message);

    /// <summary>The message id: by it the broker recognises a message that was sent twice, where duplicate detection is on.</summary>
    public override string? DeduplicationId => NonEmpty(_message.MessageId);

    /// <summary>The Azure SDKs call the same value <c>Diagnostic-Id</c>.</summary>
    public override ActivityContext CreationContext =>
        MessageSpans.ParseContext(Text("traceparent"), Text("tracestate")) is var context && context != default
            ? context
            : MessageSpans.ParseContext(Text("Diagnostic-Id"), traceState: null);

    public bool HasMessage => !_isSettled;

    private ServiceBusReceiver Receiver => _run.SettlingFor(_call);

    /// <summary>The id of a redriven message before its redrive; null for another message.</summary>
    public static string? OriginalId(ServiceBusReceivedMessage message) =>
        message.ApplicationProperties.TryGetValue(OriginalIdProperty, out object? id) ? id as string : null;

    /// <summary>A message's application properties as texts.</summary>
    public static IReadOnlyList<KeyValuePair<string, string>> AttributesOf(ServiceBusReceivedMessage message) => message.ApplicationProperties.Count == 0
        ? []
        : [.. message.ApplicationProperties.Select(property => KeyValuePair.Create(property.Key, PropertyText.Format(property.Value)))];

    /// <summary>A message's session; without one the partition key.</summary>
    public static string? GroupOf(ServiceBusReceivedMessage message) => NonEmpty(message.SessionId) ?? NonEmpty(message.PartitionKey);

    /// <summary>A message's system properties.</summary>
    public static Dictionary<string, string> SystemPropertiesOf(ServiceBusReceivedMessage message) =>
        SystemPropertyNames
            .Where(name => FindSystemProperty(message, name) is not null)
            .ToDictionary(static name => name, name => FindSystemProperty(message, name)!, StringComparer.Ordinal);

    /// <summary>
    /// Gives a message that is sent again a new id: an entity that detects duplicates would accept the old one, and drop the message. The old one stays in a
    /// property.
    /// </summary>
    public static void SetNewId(ServiceBusMessage message, string id)
    {
        message.ApplicationProperties[OriginalIdProperty] = id;
        message.MessageId = $"{DeadLetterText.Cut(id, KeptIdLength)}-{Guid.NewGuid():n}";
    }

    public override string? FindAttribute(string name) =>
        _message.ApplicationProperties.TryGetValue(name, out object? value) ? PropertyText.Format(value) : null;

    public override string? FindSystemProperty(string name) => FindSystemProperty(_message, name);

    public override TimeSpan TryHold() => _run.TryHold(DeliveryCount, _lock.Age);

    /// <summary>Decides a message that never reached the route; the first decision counts.</summary>
    public void Decide(in Settlement settlement) => _decision.TrySetResult(settlement);

    public void RenewIfDue()
    {
        if (!_isSettled && _lock.Age < ServiceBusSourceOptions.LongestHold)
        {
            _lock.RenewIfDue(this);
        }
    }

    public async Task<DateTimeOffset> RenewLockAsync()
    {
        await Receiver.RenewMessageLockAsync(_message);
        return _message.LockedUntil;
    }

    /// <summary>Removes the message from the queue. Throws the client's exception, as the other settlements do.</summary>
    public Task CompleteAsync() => SettleAsync(Receiver.CompleteMessageAsync(_message));

    /// <summary>Abandons the message; the broker redelivers it immediately.</summary>
    public Task AbandonAsync() => SettleAsync(Receiver.AbandonMessageAsync(_message));

    /// <summary>Moves the message to the entity's dead-letter queue.</summary>
    public Task DeadLetterAsync(DeadLetterText text) =>
        SettleAsync(Receiver.DeadLetterMessageAsync(_message, text.Properties(), text.Reason, text.Description));

    protected override ValueTask SettleCoreAsync(Settlement settlement, CancellationToken cancellationToken)
    {
        if (settlement.Kind == SettlementKind.Abandon)
        {
            _ = DecideAfterAsync(_run.HoldAsync(settlement.Delay), settlement);
        }
        else
        {
            _decision.TrySetResult(settlement);
        }

        return default;
    }

    private async Task DecideAfterAsync(Task delay, Settlement settlement)
    {
        await delay.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _decision.TrySetResult(settlement);
    }

    private async Task SettleAsync(Task settling)
    {
        await settling;
        _isSettled = true;
    }

    private static string? FindSystemProperty(ServiceBusReceivedMessage message, string name) => NonEmpty(name switch
    {
        "subject" => message.Subject,
        "correlation-id" => message.CorrelationId,
        "content-type" => message.ContentType,
        "to" => message.To,
        "reply-to" => message.ReplyTo,
        _ => null,
    });

    private static string? NonEmpty(string? text) => string.IsNullOrEmpty(text) ? null : text;

    private string? Text(string property) => _message.ApplicationProperties.TryGetValue(property, out object? value) ? value as string : null;
}

/// <summary>Formats a message property, which may have any AMQP type.</summary>
internal static class PropertyText
{
    public static string Format(object? value) => value switch
    {
        null => string.Empty,
        string text => text,
        bool flag => flag ? "true" : "false",
        DateTime or DateTimeOffset => ((IFormattable)value).ToString("O", CultureInfo.InvariantCulture),
        byte[] bytes => Convert.ToBase64String(bytes),
        _ => Convert.ToString(value, CultureInfo.InvariantCulture) ?? string.Empty,
    };
}
