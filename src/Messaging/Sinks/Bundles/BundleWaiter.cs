using System.Diagnostics;
using Messaging.Tasks;
using Messaging.Telemetry;

namespace Messaging.Sinks.Bundles;

/// <summary>
/// One message in a bundle, and the task that its caller awaits. It returns to the pool only when the caller reads the result, so key and
/// body are never read after the caller regains them. The lock of <see cref="BundleBudget"/> guards the fields; in a closed bundle,
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
