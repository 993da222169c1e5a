using System.Diagnostics;
using System.Threading.Tasks.Sources;
using Messaging.Tasks;
using Messaging.Telemetry;

namespace Messaging.Sinks.Bundles;

/// <summary>
/// One message in a bundle, and the task that its caller awaits. It returns to the pool only when the caller reads the result, so key and
/// body are never read after the caller regains them. The lock of <see cref="BundleBudget"/> guards the fields; in a closed bundle,
/// its flush owns them.
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

    /// <summary>The index among the bundle's entries; meaningless for a duplicate.</summary>
    public int Index { get; set; }

    /// <summary>The entry that this message duplicates; null for an entry.</summary>
    public BundleWaiter? Entry { get; set; }

    /// <summary>The next message with the same key and bytes.</summary>
    public BundleWaiter? Next { get; set; }

    /// <summary>True once its token is cancelled.</summary>
    public bool IsCancelled { get; set; }

    /// <summary>The result of the entry; null when its store was cancelled.</summary>
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

        // Only the caller reads the result, and only after this returns; by then the field is set.
        _registration = _token.UnsafeRegister(static state => ((BundleWaiter)state!).Cancel(), this);
        return task;
    }

    /// <summary>Completes the caller's task on a pool thread; null when its own token was cancelled.</summary>
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
        PooledResult.EnsureCompleted(ref _core, token);
        try
        {
            return _core.GetResult(token);
        }
        finally
        {
            // Waits for a running callback, which must not cancel the next message of this object.
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
