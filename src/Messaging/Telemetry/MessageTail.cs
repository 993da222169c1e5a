using System.Threading.Channels;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Telemetry;

/// <summary>
/// Copies of some of a route's messages, made when their settlements are decided, for one reader: at most so many per second, and so many bytes of each. No
/// message waits for the reader: what it does not take in time is dropped and counted. Disposing it ends it. Threads: any.
/// </summary>
public sealed class MessageTail : IDisposable
{
    /// <summary>The copies that wait for the reader at most.</summary>
    public const int MaxWaiting = 64;

    private readonly RouteTails _owner;
    private readonly int _perSecond;
    private readonly int _maxBytes;
    private readonly TimeProvider _time;
    private readonly Channel<TailedMessage> _waiting = Channel.CreateBounded<TailedMessage>(new BoundedChannelOptions(MaxWaiting) { SingleReader = true });
    private readonly Lock _lock = new();
    private long _secondBegan;
    private int _inSecond;
    private long _skipped;
    private long _dropped;

    internal MessageTail(RouteTails owner, int perSecond, int maxBytes, TimeProvider time)
    {
        _owner = owner;
        _perSecond = perSecond;
        _maxBytes = maxBytes;
        _time = time;
        _secondBegan = time.GetTimestamp();
    }

    /// <summary>The copies; complete once the tail is disposed.</summary>
    public ChannelReader<TailedMessage> Messages => _waiting.Reader;

    /// <summary>Messages that were not copied, because there were more than are copied per second.</summary>
    public long Skipped => Volatile.Read(ref _skipped);

    /// <summary>Messages that were to be copied, but the reader was too slow, or they could not be read.</summary>
    public long Dropped => Volatile.Read(ref _dropped);

    /// <inheritdoc/>
    public void Dispose()
    {
        _owner.Remove(this);
        _waiting.Writer.TryComplete();
    }

    /// <summary>Copies a message, or counts it. Never throws, and never waits for the reader.</summary>
    internal void Offer(string source, ReceivedMessage message, in Settlement settlement, long acceptedAt)
    {
        if (!IsSampled())
        {
            Interlocked.Increment(ref _skipped);
            return;
        }

        try
        {
            // Before the copy: the reader makes space only in its own time.
            if (_waiting.Reader.Count < MaxWaiting && _waiting.Writer.TryWrite(Copy(source, message, settlement, acceptedAt)))
            {
                return;
            }
        }
        catch (Exception)
        {
            // Of a source's code.
        }

        Interlocked.Increment(ref _dropped);
    }

    /// <summary>True for the first messages of each second.</summary>
    private bool IsSampled()
    {
        lock (_lock)
        {
            if (_time.GetElapsedTime(_secondBegan) >= TimeSpan.FromSeconds(1))
            {
                _secondBegan = _time.GetTimestamp();
                _inSecond = 0;
            }

            return _inSecond++ < _perSecond;
        }
    }

    private TailedMessage Copy(string source, ReceivedMessage message, in Settlement settlement, long acceptedAt)
    {
        int left = _maxBytes;
        ReadOnlyMemory<byte> body = message.Body;
        byte[] shown = body.Span[..Math.Min(body.Length, left)].ToArray();
        left -= shown.Length;
        bool isCut = shown.Length < body.Length;
        List<KeyValuePair<string, string>> attributes = [];
        foreach ((string name, string value) in message.Attributes)
        {
            // As characters, which are at most three bytes each: the bound is one of memory.
            if (name.Length + value.Length > left)
            {
                isCut = true;
                continue;
            }

            left -= name.Length + value.Length;
            attributes.Add(new(name, value));
        }

        return new TailedMessage(
            _time.GetUtcNow(), source, UntrustedText.Shorten(message.SourceId.Span), message.DeliveryCount, settlement.Kind, settlement.Reason, _time.GetElapsedTime(acceptedAt), attributes, shown, body.Length, isCut);
    }
}

/// <summary>The copy of a message. Nothing in it is masked yet.</summary>
/// <param name="Time">When its settlement was decided.</param>
/// <param name="Source">The name of its source.</param>
/// <param name="Id">The source's id of it, as printable text of at most 256 bytes.</param>
/// <param name="DeliveryCount">How often it was delivered, this time included.</param>
/// <param name="Result">What became of it.</param>
/// <param name="Reason">The reason code of a dead letter; null otherwise.</param>
/// <param name="Took">The time from its acceptance.</param>
/// <param name="Attributes">Its attributes, as far as they fit behind the body.</param>
/// <param name="Body">The beginning of its body.</param>
/// <param name="BodyBytes">The length of the whole body.</param>
/// <param name="IsCut">True when the rest of the body, or an attribute, is not in the copy.</param>
public sealed record TailedMessage(
    DateTimeOffset Time,
    string Source,
    string Id,
    int DeliveryCount,
    SettlementKind Result,
    string? Reason,
    TimeSpan Took,
    IReadOnlyList<KeyValuePair<string, string>> Attributes,
    ReadOnlyMemory<byte> Body,
    int BodyBytes,
    bool IsCut);

/// <summary>The tails of one route. Threads: any.</summary>
internal sealed class RouteTails
{
    private readonly Lock _lock = new();

    /// <summary>Replaced as a whole; null without a tail.</summary>
    public MessageTail[]? Current { get; private set; }

    /// <summary>Told each change, in order.</summary>
    public Action<MessageTail[]?>? Changed { get; set; }

    public MessageTail Begin(int perSecond, int maxBytes, TimeProvider time)
    {
        MessageTail tail = new(this, perSecond, maxBytes, time);
        lock (_lock)
        {
            Set([.. Current ?? [], tail]);
        }

        return tail;
    }

    /// <summary>Ends a tail; safe to repeat.</summary>
    public void Remove(MessageTail tail)
    {
        lock (_lock)
        {
            MessageTail[] left = [.. (Current ?? []).Where(one => one != tail)];
            Set(left.Length == 0 ? null : left);
        }
    }

    /// <summary>Under the lock.</summary>
    private void Set(MessageTail[]? tails)
    {
        Current = tails;
        Changed?.Invoke(tails);
    }
}
