using System.Diagnostics;
using Quayside.Messaging.Tasks;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Sinks.Bundles;

/// <summary>
/// Messages of one prefix that become one object. Guarded by the sink's lock until it is being stored; then only
/// its flush changes it, until it is reset and reused.
/// </summary>
internal sealed class Bundle : WaitingGroup
{
    private readonly Dictionary<ReadOnlyMemory<byte>, BundleWaiter> _byKey = new(ByteKeys.Comparer);
    private readonly BundlingSink _sink;

    public Bundle(BundlingSink sink)
    {
        _sink = sink;
        InSink = new LinkedListNode<Bundle>(this);
        ByAge = new LinkedListNode<Bundle>(this);
    }

    /// <summary>The node among the sink's open bundles, least recently added to first; then among those being stored.</summary>
    public LinkedListNode<Bundle> InSink { get; }

    /// <summary>The node among the sink's open bundles, oldest first.</summary>
    public LinkedListNode<Bundle> ByAge { get; }

    public byte[] Prefix { get; private set; } = [];

    /// <summary>The messages to store; each entry links to its duplicates.</summary>
    public List<BundleWaiter> Entries { get; } = [];

    /// <summary>Waiting messages, duplicates included.</summary>
    public int Messages { get; private set; }

    /// <summary>Bytes of all bodies, duplicates included.</summary>
    public long Bytes { get; private set; }

    public FlushReason Reason { get; private set; }

    /// <summary>True once its entries are being read: from then on no message can leave.</summary>
    public bool IsBeingStored { get; set; }

    /// <summary>Messages whose token was cancelled while the bundle is being stored.</summary>
    public int Cancelled { get; set; }

    /// <summary>True when no message waits for the store any more.</summary>
    public override bool IsUnwanted => Messages == Cancelled;

    /// <summary>True when the sink stored or rejected an object.</summary>
    public bool Worked { get; set; }

    /// <summary>True when the sink failed or refused.</summary>
    public bool Failed { get; set; }

    public void Open(byte[] prefix, long deadline)
    {
        Prefix = prefix;
        Deadline = deadline;
        IsOpen = true;
    }

    /// <summary>Adds the message, as an entry or as a duplicate of one.</summary>
    /// <returns>False when another message of the bundle has the same key and other bytes.</returns>
    public bool TryAdd(BundleWaiter waiter)
    {
        if (!_byKey.TryGetValue(waiter.Key, out BundleWaiter? entry))
        {
            waiter.Index = Entries.Count;
            Entries.Add(waiter);
            _byKey.Add(waiter.Key, waiter);
        }
        else if (entry.Body.Span.SequenceEqual(waiter.Body.Span))
        {
            waiter.Entry = entry;
            waiter.Next = entry.Next;
            entry.Next = waiter;
        }
        else
        {
            return false;
        }

        waiter.Group = this;
        Messages++;
        Bytes += waiter.Body.Length;
        return true;
    }

    /// <summary>Removes a cancelled message; its duplicates stay.</summary>
    public void Remove(BundleWaiter waiter)
    {
        if (waiter.Entry is { } entry)
        {
            BundleWaiter before = entry;
            while (before.Next != waiter)
            {
                before = before.Next!;
            }

            before.Next = waiter.Next;
        }
        else
        {
            RemoveEntry(waiter);
        }

        waiter.Group = null;
        waiter.Entry = null;
        waiter.Next = null;
        Messages--;
        Bytes -= waiter.Body.Length;
    }

    public void Close(FlushReason reason)
    {
        IsOpen = false;
        Reason = reason;
    }

    public void Reset()
    {
        _byKey.Clear();
        Entries.Clear();
        Prefix = [];
        Messages = 0;
        Bytes = 0;
        Deadline = 0;
        IsOpen = false;
        Reason = default;
        IsBeingStored = false;
        Cancelled = 0;
        Worked = false;
        Failed = false;
        Cancellation = new CancellationTokenSource();
    }

    protected override Task RunAsync() => _sink.FlushAsync(this);

    private void RemoveEntry(BundleWaiter entry)
    {
        // Removed, since the key's bytes belong to the message that leaves.
        _byKey.Remove(entry.Key);
        if (entry.Next is not { } repeat)
        {
            BundleWaiter last = Entries[^1];
            Entries[entry.Index] = last;
            last.Index = entry.Index;
            Entries.RemoveAt(Entries.Count - 1);
            return;
        }

        repeat.Entry = null;
        repeat.Index = entry.Index;
        Entries[entry.Index] = repeat;
        _byKey.Add(repeat.Key, repeat);
        for (BundleWaiter? other = repeat.Next; other is not null; other = other.Next)
        {
            other.Entry = repeat;
        }
    }
}

/// <summary>
/// One message in a bundle, and the task that its caller awaits. It returns to the pool only when the caller reads the result, so key and
/// body are never read after the caller regains them. The sink's lock guards the fields; in a closed bundle,
/// its flush owns them.
/// </summary>
internal sealed class BundleWaiter(BundlingSink sink) : WaitingMessage<Bundle, SinkResult>(sink)
{
    public ReadOnlyMemory<byte> Key { get; private set; }

    public ReadOnlyMemory<byte> Body { get; private set; }

    /// <summary>The message's span, which its bundle's store links to; null without a listener.</summary>
    public Activity? Span { get; private set; }

    /// <summary>The index among the bundle's entries; meaningless for a duplicate.</summary>
    public int Index { get; set; }

    /// <summary>The entry that this message duplicates; null for an entry.</summary>
    public BundleWaiter? Entry { get; set; }

    /// <summary>The next message with the same key and bytes.</summary>
    public BundleWaiter? Next { get; set; }

    /// <summary>The result of the entry; null when its store was cancelled.</summary>
    public SinkResult? Outcome { get; set; }

    public void Open(ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body)
    {
        Key = key;
        Body = body;
        Span = MessageSpans.IsListening ? Activity.Current : null;
    }

    /// <summary>The caller's task; called once, after the waiter joined its bundle.</summary>
    public ValueTask<SinkResult> Start(CancellationToken cancellationToken) => new(this, Begin(cancellationToken));

    public override void Recycle()
    {
        base.Recycle();
        Key = default;
        Body = default;
        Span = null;
        Index = 0;
        Entry = null;
        Next = null;
        Outcome = null;
        sink.Return(this);
    }

    protected override bool TryLeave(Bundle group) => sink.TryLeave(group, this);
}

/// <summary>Why a bundle was closed and stored; the tag <c>worker.reason</c> of the metric, in lower case.</summary>
internal enum FlushReason
{
    /// <summary>Its estimated compressed size reached <c>Bundles:MaxBytes</c>.</summary>
    Size = 0,

    /// <summary>It contains <c>Bundles:MaxMessages</c> messages.</summary>
    Count,

    /// <summary>Its first message has waited <c>Bundles:MaxAge</c>.</summary>
    Age,

    /// <summary>Half of <c>Intake:BytesInFlight</c> waits in bundles, and this one was the least recently extended.</summary>
    Memory,

    /// <summary>Half of the messages that one source can have in flight wait in bundles, and this one was the least recently extended.</summary>
    Slots,

    /// <summary>The sink failed before; one bundle at a time probes whether it works again.</summary>
    Probe,

    /// <summary>The worker stops.</summary>
    Shutdown,
}

/// <summary>Compares keys byte by byte. A span can look up a prefix, so that only new prefixes are copied.</summary>
internal sealed class ByteKeys : IEqualityComparer<byte[]>, IAlternateEqualityComparer<ReadOnlySpan<byte>, byte[]>, IEqualityComparer<ReadOnlyMemory<byte>>
{
    public static readonly ByteKeys Comparer = new();

    public bool Equals(byte[]? x, byte[]? y) => x.AsSpan().SequenceEqual(y);

    public int GetHashCode(byte[] obj) => Hash(obj);

    public bool Equals(ReadOnlySpan<byte> alternate, byte[] other) => alternate.SequenceEqual(other);

    public int GetHashCode(ReadOnlySpan<byte> alternate) => Hash(alternate);

    public byte[] Create(ReadOnlySpan<byte> alternate) => alternate.ToArray();

    public bool Equals(ReadOnlyMemory<byte> x, ReadOnlyMemory<byte> y) => x.Span.SequenceEqual(y.Span);

    public int GetHashCode(ReadOnlyMemory<byte> obj) => Hash(obj.Span);

    // HashCode has a random seed per process, so senders cannot choose ids that fall into one hash bucket.
    private static int Hash(ReadOnlySpan<byte> bytes)
    {
        HashCode hash = default;
        hash.AddBytes(bytes);
        return hash.ToHashCode();
    }
}
