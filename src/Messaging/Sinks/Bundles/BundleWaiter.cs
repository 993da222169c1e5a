using System.Diagnostics;
using System.Threading.Tasks.Sources;
using Messaging.Telemetry;

namespace Messaging.Sinks.Bundles;

/// <summary>
/// One message in a bundle, and the task its caller awaits. Pooled: it is returned when the result is taken, and not before, so
/// key and body are never read after their owner got them back. The fields without a lock of their own belong to the holder of
/// the lock of <see cref="BundleBudget"/>; in a closed bundle to its flush.
/// </summary>
internal sealed class BundleWaiter(BundlingSink sink) : IValueTaskSource<SinkResult>, IThreadPoolWorkItem
{
    private ManualResetValueTaskSourceCore<SinkResult> _core;
    private CancellationTokenRegistration _registration;
    private CancellationToken _token;
    private SinkResult? _result;

    public ReadOnlyMemory<byte> Key { get; private set; }

    public ReadOnlyMemory<byte> Body { get; private set; }

    /// <summary>The message's span, which its bundle's store links to; null without a listener.</summary>
    public Activity? Span { get; private set; }

    /// <summary>The bundle while the message is in one.</summary>
    public Bundle? Bundle { get; set; }

    /// <summary>The place among the bundle's entries; meaningless for a repeat.</summary>
    public int Index { get; set; }

    /// <summary>The entry this message repeats; null when it is an entry itself.</summary>
    public BundleWaiter? Entry { get; set; }

    /// <summary>The next message with the same key and bytes.</summary>
    public BundleWaiter? Next { get; set; }

    /// <summary>True once its token has ended.</summary>
    public bool IsCancelled { get; set; }

    /// <summary>What became of the entry; null when its storing was cut off.</summary>
    public SinkResult? Outcome { get; set; }

    public void Open(ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, CancellationToken cancellationToken)
    {
        Key = key;
        Body = body;
        _token = cancellationToken;
        Span = MessageSpans.IsListening ? Activity.Current : null;
    }

    /// <summary>The caller's task; called once, after the waiter joined its bundle.</summary>
    public ValueTask<SinkResult> Start()
    {
        ValueTask<SinkResult> task = new(this, _core.Version);

        // Only the caller takes the result, and only after this returns: the field is set by then, whatever has happened to the bundle.
        _registration = _token.UnsafeRegister(static state => ((BundleWaiter)state!).Cancel(), this);
        return task;
    }

    /// <summary>Lets the caller go on, on a pool thread; null when its own token ended the wait.</summary>
    public void Complete(SinkResult? result)
    {
        _result = result;
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    void IThreadPoolWorkItem.Execute()
    {
        if (_result is { } result)
        {
            _core.SetResult(result);
        }
        else
        {
            _core.SetException(new OperationCanceledException(_token));
        }
    }

    SinkResult IValueTaskSource<SinkResult>.GetResult(short token)
    {
        try
        {
            return _core.GetResult(token);
        }
        finally
        {
            // Waits for a callback that runs just now; the next message of this object must not be cancelled by it.
            _registration.Dispose();
            Reset();
            sink.Return(this);
        }
    }

    ValueTaskSourceStatus IValueTaskSource<SinkResult>.GetStatus(short token) => _core.GetStatus(token);

    void IValueTaskSource<SinkResult>.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _core.OnCompleted(continuation, state, token, flags);

    public void Reset()
    {
        _core.Reset();
        _registration = default;
        _token = default;
        _result = null;
        Key = default;
        Body = default;
        Span = null;
        Bundle = null;
        Index = 0;
        Entry = null;
        Next = null;
        IsCancelled = false;
        Outcome = null;
    }

    private void Cancel() => sink.Cancel(this);
}
