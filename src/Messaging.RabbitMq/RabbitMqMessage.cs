using System.Buffers;
using System.Diagnostics;
using System.Text;
using Quayside.Messaging.Sources;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;
using RabbitMQ.Client;

namespace Quayside.Messaging.RabbitMq;

/// <summary>One delivery. Its body is a copy, because the client reuses its own when the consumer returns.</summary>
internal sealed class RabbitMqMessage : ReceivedMessage
{
    private readonly RabbitMqSession _session;
    private readonly string _routingKey;
    private readonly long _arrivedAt;
    private readonly int _length;
    private byte[]? _body;
    private byte[]? _id;

    public RabbitMqMessage(
        RabbitMqSession session, ulong tag, bool redelivered, string routingKey, IReadOnlyBasicProperties properties, ReadOnlySpan<byte> body)
    {
        _session = session;
        Tag = tag;
        Properties = properties;
        _routingKey = routingKey;
        _arrivedAt = session.Time.GetTimestamp();
        _length = body.Length;
        _body = ArrayPool<byte>.Shared.Rent(body.Length);
        body.CopyTo(_body);

        // Any sender can set the header; on a first delivery it is not the broker's.
        DeliveryCount = redelivered ? 1 + (RabbitMqHeaders.EarlierDeliveries(properties) ?? session.Returns.CountOf(this)) : 1;
    }

    /// <summary>The broker's delivery tag, valid on its channel only.</summary>
    public ulong Tag { get; }

    public IReadOnlyBasicProperties Properties { get; }

    /// <summary>The neighbours in <see cref="Acknowledgements"/>, under its lock.</summary>
    public RabbitMqMessage? Previous { get; set; }

    public RabbitMqMessage? Next { get; set; }

    /// <summary>The time since it arrived.</summary>
    public TimeSpan Age => _session.Time.GetElapsedTime(_arrivedAt);

    public override ReadOnlyMemory<byte> Body => _body.AsMemory(0, _length);

    /// <summary>The sender's message id; without one, an id derived from the body.</summary>
    public override ReadOnlyMemory<byte> SourceId =>
        _id ??= string.IsNullOrEmpty(Properties.MessageId) ? IdOfBody() : Encoding.UTF8.GetBytes(Properties.MessageId);

    public override int DeliveryCount { get; }

    public override DateTimeOffset? EnqueuedAt => Properties.IsTimestampPresent() ? RabbitMqHeaders.TimeOf(Properties.Timestamp) : null;

    public override ActivityContext CreationContext => MessageSpans.ParseContext(FindAttribute("traceparent"), FindAttribute("tracestate"));

    public override IReadOnlyList<KeyValuePair<string, string>> Attributes => Properties.Headers is { } headers
        ? [.. headers.Select(header => KeyValuePair.Create(header.Key, RabbitMqHeaders.TextOf(header.Value)!)).Where(header => header.Value is not null)]
        : [];

    public override string? FindAttribute(string name) => RabbitMqHeaders.Find(Properties, name);

    public override string? FindSystemProperty(string name) => name switch
    {
        "subject" => NonEmpty(_routingKey),
        "correlation-id" => NonEmpty(Properties.CorrelationId),
        "content-type" => NonEmpty(Properties.ContentType),
        "reply-to" => NonEmpty(Properties.ReplyTo),
        "enqueued" when Properties.IsTimestampPresent() => RabbitMqHeaders.TextOf(Properties.Timestamp),
        _ => null,
    };

    public override TimeSpan TryHold() => _session.TryHold(this);

    /// <summary>Gives the body's buffer back, after the last use of it.</summary>
    public void Free()
    {
        if (Interlocked.Exchange(ref _body, null) is { } body)
        {
            ArrayPool<byte>.Shared.Return(body);
        }
    }

    protected override ValueTask SettleCoreAsync(Settlement settlement, CancellationToken cancellationToken)
    {
        switch (settlement.Kind)
        {
            case SettlementKind.Complete:
                _session.Complete(this);
                break;
            case SettlementKind.DeadLetter:
                _session.DeadLetter(this, settlement);
                break;
            default:
                _session.Return(this, settlement.Delay);
                break;
        }

        return default;
    }

    private byte[] IdOfBody()
    {
        byte[] id = new byte[ContentId.Length];
        ContentId.Write(Body.Span, id);
        return id;
    }

    private static string? NonEmpty(string? text) => string.IsNullOrEmpty(text) ? null : text;
}

/// <summary>
/// How often this worker has returned messages of a classic queue, which counts no deliveries: a message that fails each time must become a dead
/// letter some time. Bounded: too many start at zero again. Threads: any.
/// </summary>
internal sealed class ReturnCounts
{
    private const int Capacity = 10_000;

    private readonly Lock _gate = new();
    private readonly Dictionary<string, int> _counts = new(StringComparer.Ordinal);

    /// <summary>The earlier deliveries of a redelivered message, at least 1.</summary>
    public int CountOf(RabbitMqMessage message)
    {
        lock (_gate)
        {
            return Math.Max(1, _counts.GetValueOrDefault(KeyOf(message)));
        }
    }

    /// <summary>Counts a return.</summary>
    public void Add(RabbitMqMessage message)
    {
        if (IsUncounted(message))
        {
            lock (_gate)
            {
                if (_counts.Count >= Capacity)
                {
                    _counts.Clear();
                }

                _counts[KeyOf(message)] = message.DeliveryCount;
            }
        }
    }

    /// <summary>Forgets a message that will not be delivered again.</summary>
    public void Remove(RabbitMqMessage message)
    {
        if (message.DeliveryCount > 1 && IsUncounted(message))
        {
            lock (_gate)
            {
                _counts.Remove(KeyOf(message));
            }
        }
    }

    private static bool IsUncounted(RabbitMqMessage message) => RabbitMqHeaders.EarlierDeliveries(message.Properties) is null;

    private static string KeyOf(RabbitMqMessage message) => Encoding.UTF8.GetString(message.SourceId.Span);
}
