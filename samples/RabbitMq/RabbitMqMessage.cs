using System.Globalization;
using System.Text;
using Messaging.Sources;
using Pipeline.Messages;
using Pipeline.Settlements;
using RabbitMQ.Client;

namespace Samples.RabbitMq;

/// <summary>One delivery. Its bytes are a copy, because the client reuses its own when the consumer returns.</summary>
internal sealed class RabbitMqMessage(RabbitMqSession session, ulong tag, bool redelivered, IReadOnlyBasicProperties properties, byte[] body) : ReceivedMessage
{
    private byte[]? _id;

    /// <summary>The broker's delivery tag, valid on its channel only.</summary>
    public ulong Tag => tag;

    public IReadOnlyBasicProperties Properties => properties;

    public override ReadOnlyMemory<byte> Body => body;

    /// <summary>The sender's message id; without one, an id derived from the body.</summary>
    public override ReadOnlyMemory<byte> SourceId => _id ??= string.IsNullOrEmpty(properties.MessageId) ? IdOfBody() : Encoding.UTF8.GetBytes(properties.MessageId);

    /// <summary>The count of a quorum queue. A classic queue only reports whether the delivery is a redelivery.</summary>
    public override int DeliveryCount => properties.Headers?.TryGetValue("x-delivery-count", out object? header) == true && header is long or int
        ? 1 + (int)Math.Clamp(Convert.ToInt64(header, CultureInfo.InvariantCulture), 0, int.MaxValue - 1)
        : redelivered ? 2 : 1;

    public override DateTimeOffset? EnqueuedAt => properties.IsTimestampPresent() ? DateTimeOffset.FromUnixTimeSeconds(properties.Timestamp.UnixTime) : null;

    public override IReadOnlyList<KeyValuePair<string, string>> Attributes => properties.Headers is { } headers
        ? [.. headers.Select(header => KeyValuePair.Create(header.Key, Text(header.Value)))]
        : [];

    public override TimeSpan GetHoldTime() => session.GetHoldTime(this);

    /// <summary>The time of arrival, as a timestamp of the worker's clock.</summary>
    public long ArrivedAt { get; } = session.Time.GetTimestamp();

    protected override ValueTask SettleCoreAsync(Settlement settlement, CancellationToken cancellationToken) => settlement.Kind switch
    {
        SettlementKind.Complete => session.CompleteAsync(this),
        SettlementKind.DeadLetter => session.DeadLetterAsync(this, settlement),
        _ => session.ReturnAsync(this, settlement.Delay),
    };

    private byte[] IdOfBody()
    {
        byte[] id = new byte[ContentId.Length];
        ContentId.Write(body, id);
        return id;
    }

    private static string Text(object? value) => value is byte[] bytes ? Encoding.UTF8.GetString(bytes) : Convert.ToString(value, CultureInfo.InvariantCulture) ?? string.Empty;
}
