using System.Diagnostics;
using Quayside.Pipeline.Settlements;

namespace Quayside.Pipeline.Messages;

/// <summary>A message with attributes that a part has set; all else is the message's own. Threads: one at a time.</summary>
internal sealed class AttributedMessage : ReceivedMessage
{
    private readonly ReceivedMessage _message;
    private readonly Dictionary<string, string> _set = new(StringComparer.Ordinal);

    public AttributedMessage(ReceivedMessage message)
    {
        _message = message;
        Span = message.Span;
    }

    public override ReadOnlyMemory<byte> Body => _message.Body;

    public override ReadOnlyMemory<byte> StoredBody => _message.StoredBody;

    public override ReadOnlyMemory<byte> SourceId => _message.SourceId;

    public override int DeliveryCount => _message.DeliveryCount;

    public override DateTimeOffset? EnqueuedAt => _message.EnqueuedAt;

    public override IReadOnlyList<KeyValuePair<string, string>> Attributes =>
        [.. _set, .. _message.Attributes.Where(attribute => !_set.ContainsKey(attribute.Key))];

    public override string? Group => _message.Group;

    public override string? DeduplicationId => _message.DeduplicationId;

    public override ActivityContext CreationContext => _message.CreationContext;

    public override bool CanReturnLate => _message.CanReturnLate;

    public override bool IsSentAgainByCaller => _message.IsSentAgainByCaller;

    public override string? FindAttribute(string name) => _set.GetValueOrDefault(name) ?? _message.FindAttribute(name);

    public override string? FindSystemProperty(string name) => _message.FindSystemProperty(name);

    public override TimeSpan TryHold() => _message.TryHold();

    public void Set(string name, string value) => _set[name] = value;

    protected override ValueTask SettleCoreAsync(Settlement settlement, CancellationToken cancellationToken) =>
        throw new InvalidOperationException("The receiver settles the message; a part decides through context.Settlement.");
}
