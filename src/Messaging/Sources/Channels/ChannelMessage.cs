using System.Diagnostics;
using System.Text;
using Messaging.Sources.Held;
using Messaging.Telemetry;
using Pipeline.Buffers;
using Pipeline.Settlements;

namespace Messaging.Sources.Channels;

/// <summary>A message of a <see cref="ChannelQueue"/>.</summary>
internal sealed class ChannelMessage(HeldMessages<ChannelMessage> held) : HeldMessage
{
    /// <summary>The longest id, in bytes of UTF-8.</summary>
    public const int MaxIdBytes = 256;

    // A formatted UUID; a longer id makes the array grow once and stay.
    private const int UuidLength = 36;

    private byte[] _id = new byte[UuidLength];
    private int _idLength;
    private ActivityContext _creation;

    public override ReadOnlyMemory<byte> SourceId => _id.AsMemory(0, _idLength);

    /// <summary>The publisher's span.</summary>
    public override ActivityContext CreationContext => _creation;

    /// <summary>Fills a clean message with a copy of <paramref name="body"/>.</summary>
    /// <param name="body">The message.</param>
    /// <param name="id">A checked id, or null for a new one.</param>
    /// <param name="buffers">Where the body's buffer comes from.</param>
    /// <param name="now">When it was published.</param>
    public void Open(ReadOnlySpan<byte> body, string? id, BufferPool buffers, DateTimeOffset now)
    {
        Fill(body, buffers, now);
        _creation = MessageSpans.IsListening && Activity.Current is { IdFormat: ActivityIdFormat.W3C } publisher ? Received(publisher.Context) : default;
        if (id is null)
        {
            Guid.CreateVersion7(now).TryFormat(_id, out _idLength);
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

    // As from another process: of a trace that is not sampled, the SDK then keeps the id, so that nothing below begins another.
    private static ActivityContext Received(ActivityContext publisher) => new(publisher.TraceId, publisher.SpanId, publisher.TraceFlags, publisher.TraceState, isRemote: true);

    protected internal override void Clear()
    {
        base.Clear();
        _idLength = 0;
        _creation = default;

        // As many messages as the capacity may be idle at once, each with a buffer: they are better used by others meanwhile.
        Release();
    }

    protected override ValueTask SettleCoreAsync(Settlement settlement, CancellationToken cancellationToken) =>
        held.SettleAsync(this, settlement, cancellationToken);
}
