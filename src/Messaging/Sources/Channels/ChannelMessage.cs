using System.Diagnostics;
using System.Text;
using Quayside.Messaging.Sources.InMemory;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Buffers;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Sources.Channels;

/// <summary>A message of a <see cref="ChannelQueue"/>.</summary>
internal sealed class ChannelMessage(InMemoryMessages<ChannelMessage> inMemory) : InMemoryMessage
{
    /// <summary>The longest id, in bytes of UTF-8.</summary>
    public const int MaxIdBytes = 256;

    // A formatted UUID; a longer id enlarges the array once.
    private const int UuidLength = 36;

    private byte[] _id = [];
    private int _idLength;

    // A new id is formatted when it is first read: most messages have their own.
    private Guid _newId;
    private ActivityContext _creation;
    private MessageProperties _properties = MessageProperties.None;

    public override ReadOnlyMemory<byte> SourceId
    {
        get
        {
            if (_idLength == 0)
            {
                Format(_newId);
            }

            return _id.AsMemory(0, _idLength);
        }
    }

    public override IReadOnlyList<KeyValuePair<string, string>> Attributes => _properties.Attributes;

    public override string? Group => _properties.Group;

    public override string? DeduplicationId => _properties.DeduplicationId;

    /// <summary>The publisher's span.</summary>
    public override ActivityContext CreationContext => _creation;

    /// <summary>Fills an empty message with a copy of <paramref name="body"/>.</summary>
    /// <param name="body">The body.</param>
    /// <param name="id">A validated id, or null for a new one.</param>
    /// <param name="properties">What it has beside the body.</param>
    /// <param name="buffers">The pool for the body's buffer.</param>
    /// <param name="now">The time of publishing.</param>
    public void Open(ReadOnlySpan<byte> body, string? id, MessageProperties properties, BufferPool buffers, DateTimeOffset now)
    {
        Fill(body, buffers, now);
        _properties = properties;
        _creation = MessageSpans.IsListening && Activity.Current is { IdFormat: ActivityIdFormat.W3C } publisher ? Received(publisher.Context) : default;
        if (id is null)
        {
            _newId = MessageIds.Create(now);
        }
        else
        {
            int length = Encoding.UTF8.GetByteCount(id);
            if (_id.Length < length)
            {
                _id = new byte[MaxIdBytes];
            }

            _idLength = Encoding.UTF8.GetBytes(id, _id);
        }
    }

    private void Format(Guid id)
    {
        // During a shutdown, two threads may read the id concurrently: they write the same bytes.
        byte[] text = _id.Length < UuidLength ? new byte[UuidLength] : _id;
        id.TryFormat(text, out int length);
        _id = text;
        Volatile.Write(ref _idLength, length);
    }

    // Marked as remote, so that the SDK keeps the id of a trace that is not sampled instead of starting another one.
    private static ActivityContext Received(ActivityContext publisher) =>
        new(publisher.TraceId, publisher.SpanId, publisher.TraceFlags, publisher.TraceState, isRemote: true);

    protected internal override void Clear()
    {
        base.Clear();
        _idLength = 0;
        _creation = default;
        _properties = MessageProperties.None;
    }

    protected override ValueTask SettleCoreAsync(Settlement settlement, CancellationToken cancellationToken) =>
        inMemory.SettleAsync(this, settlement, cancellationToken);
}
