using System.Diagnostics;
using System.Globalization;
using System.Text;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Unwrapping;

/// <summary>
/// The content of an envelope, as the parts after it see it. All but the body is that of the message around it, which the receiver settles.
/// Pooled. Threads: one at a time.
/// </summary>
internal sealed class UnwrappedMessage : ReceivedMessage
{
    private ReceivedMessage? _whole;
    private ReadOnlyMemory<byte> _body;
    private byte[]? _elementId;
    private int _element;
    private bool _storesWhole;
    private IEnvelope? _envelope;
    private IReadOnlyList<KeyValuePair<string, string>>? _added;

    public override ReadOnlyMemory<byte> Body => _body;

    public override ReadOnlyMemory<byte> StoredBody => _storesWhole ? Whole.StoredBody : _body;

    /// <summary>That of the message; of one of several the message's with its number, which is the same on every delivery.</summary>
    public override ReadOnlyMemory<byte> SourceId => _element == 0 ? Whole.SourceId : _elementId ??= ElementId(Whole.SourceId.Span, _element);

    public override int DeliveryCount => Whole.DeliveryCount;

    public override DateTimeOffset? EnqueuedAt => Whole.EnqueuedAt;

    public override IReadOnlyList<KeyValuePair<string, string>> Attributes => Added.Count == 0
        ? Whole.Attributes
        : [.. Added, .. Whole.Attributes.ExceptBy(Added.Select(static inner => inner.Key), static outer => outer.Key, StringComparer.Ordinal)];

    public override string? Group => Whole.Group;

    public override string? DeduplicationId => Whole.DeduplicationId;

    public override ActivityContext CreationContext => Whole.CreationContext;

    public override bool CanReturnLate => Whole.CanReturnLate;

    public override bool IsSentAgainByCaller => Whole.IsSentAgainByCaller;

    // Reading them costs a pass over the envelope, and most routes read none.
    private IReadOnlyList<KeyValuePair<string, string>> Added => _added ??= _envelope?.ReadAttributes(Whole) ?? [];

    private ReceivedMessage Whole => _whole ?? throw new InvalidOperationException("The message is settled.");

    /// <summary>The id of one message out of several.</summary>
    /// <param name="whole">The id of the message that holds it.</param>
    /// <param name="element">Its number, from 1.</param>
    public static byte[] ElementId(ReadOnlySpan<byte> whole, int element) =>
        [.. whole, (byte)'-', .. Encoding.ASCII.GetBytes(element.ToString(CultureInfo.InvariantCulture))];

    public override string? FindAttribute(string name)
    {
        foreach ((string key, string value) in Added)
        {
            if (string.Equals(key, name, StringComparison.Ordinal))
            {
                return value;
            }
        }

        return Whole.FindAttribute(name);
    }

    public override string? FindSystemProperty(string name) => Whole.FindSystemProperty(name);

    /// <param name="whole">The message around it.</param>
    /// <param name="envelope">What it was taken out of; null when it was not.</param>
    /// <param name="body">Its bytes.</param>
    /// <param name="element">Its number, from 1; 0 for the only one.</param>
    /// <param name="storesWhole">True when what is stored is the message around it.</param>
    public void Open(ReceivedMessage whole, IEnvelope? envelope, ReadOnlyMemory<byte> body, int element, bool storesWhole)
    {
        _whole = whole;
        _envelope = envelope;
        _body = body;
        _element = element;
        _storesWhole = storesWhole;
        Span = whole.Span;
    }

    public void Close()
    {
        // A handler that kept its MessageInfo must not read the next message by it.
        ResetSettlement();
        _whole = null;
        _envelope = null;
        _added = null;
        _body = default;
        _elementId = null;
        _element = 0;
    }

    protected override ValueTask SettleCoreAsync(Settlement settlement, CancellationToken cancellationToken) =>
        throw new InvalidOperationException("The receiver settles the message around the envelope; a part decides through context.Settlement.");
}
