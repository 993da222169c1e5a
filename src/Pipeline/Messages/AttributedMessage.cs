using System.Diagnostics;
using Quayside.Pipeline.Settlements;

namespace Quayside.Pipeline.Messages;

/// <summary>A message with attributes that a part has set; all else is the message's own. Threads: one at a time.</summary>
internal sealed class AttributedMessage : ReceivedMessage
{
    private readonly ReceivedMessage _message;
    private readonly int _version;
    private readonly Dictionary<string, string> _set = new(StringComparer.Ordinal);

    public AttributedMessage(ReceivedMessage message)
    {
        _message = message;
        _version = message.Version;
        Span = message.Span;
    }

    public override ReadOnlyMemory<byte> Body => Message.Body;

    public override ReadOnlyMemory<byte> StoredBody => Message.StoredBody;

    public override ReadOnlyMemory<byte> SourceId => Message.SourceId;

    public override int DeliveryCount => Message.DeliveryCount;

    public override DateTimeOffset? EnqueuedAt => Message.EnqueuedAt;

    public override IReadOnlyList<KeyValuePair<string, string>> Attributes =>
        [.. _set, .. Message.Attributes.Where(attribute => !_set.ContainsKey(attribute.Key))];

    public override string? Group => Message.Group;

    public override string? DeduplicationId => Message.DeduplicationId;

    public override ActivityContext CreationContext => Message.CreationContext;

    public override bool CanReturnLate => Message.CanReturnLate;

    public override bool IsSentAgainByCaller => Message.IsSentAgainByCaller;

    public override string? FindAttribute(string name) => _set.GetValueOrDefault(name) ?? Message.FindAttribute(name);

    public override string? FindSystemProperty(string name) => Message.FindSystemProperty(name);

    public override TimeSpan TryHold() => Message.TryHold();

    // Sources reuse their messages: who keeps this one must not read the next message by it.
    private ReceivedMessage Message => (_message.Version | 1) == (_version | 1)
        ? _message
        : throw new InvalidOperationException("The message was settled, and its source has reused it: read what is needed before the handler returns.");

    public void Set(string name, string value) => _set[name] = value;

    protected override ValueTask SettleCoreAsync(Settlement settlement, CancellationToken cancellationToken) =>
        throw new InvalidOperationException("The receiver settles the message; a part decides through context.Settlement.");
}
