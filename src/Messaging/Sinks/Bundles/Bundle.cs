using Messaging.Tasks;

namespace Messaging.Sinks.Bundles;

/// <summary>
/// Messages of one prefix that become one object. Guarded by the lock of <see cref="BundleBudget"/> until it is being stored; then only
/// its flush changes it, until it is reset and reused.
/// </summary>
internal sealed class Bundle : WaitingGroup
{
    private readonly Dictionary<ReadOnlyMemory<byte>, BundleWaiter> _byKey = new(ByteKeys.Comparer);

    public Bundle(BundlingSink owner)
    {
        Owner = owner;
        InBudget = new LinkedListNode<Bundle>(this);
        InSink = new LinkedListNode<Bundle>(this);
        ByAge = new LinkedListNode<Bundle>(this);
    }

    public BundlingSink Owner { get; }

    /// <summary>The node among all open bundles of the process, least recently added to first.</summary>
    public LinkedListNode<Bundle> InBudget { get; }

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

    protected override Task RunAsync() => Owner.FlushAsync(this);

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
