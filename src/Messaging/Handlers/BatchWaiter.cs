using System.Diagnostics;
using System.Threading.Tasks.Sources;
using Messaging.Tasks;
using Pipeline.Contexts;
using Pipeline.Messages;
using Pipeline.Settlements;

namespace Messaging.Handlers;

/// <summary>
/// A message that waits for its batch, and the task that its route awaits. Pooled: returned to the pool only when the result is taken.
/// The collector's lock guards what has no lock of its own.
/// </summary>
internal sealed class BatchWaiter<T>(BatchCollector<T> collector) : IValueTaskSource, IThreadPoolWorkItem
{
    private ManualResetValueTaskSourceCore<bool> _core;
    private CancellationTokenRegistration _registration;
    private PhysicalContext? _context;
    private Settlement _settlement;
    private Exception? _exception;

    /// <summary>The batch while the message is in one.</summary>
    public BatchRun<T>? Run { get; set; }

    /// <summary>True once the message's own token was cancelled.</summary>
    public bool IsCancelled { get; set; }

    /// <summary>The message's span; null without a listener. Valid only while the message waits, like <see cref="Destination"/>.</summary>
    public Activity? Span => _context!.Message.Span;

    /// <summary>Where the message was received from.</summary>
    public MessageDestination? Destination => _context!.Destination;

    public void Open(PhysicalContext context) => _context = context;

    /// <summary>The route's task; called once, after the message joined its batch.</summary>
    public ValueTask Start()
    {
        ValueTask task = new(this, _core.Version);

        // Only the route takes the result, and only after this returns. The field is set by then, whatever happens to the batch.
        _registration = _context!.CancellationToken.UnsafeRegister(static state => ((BatchWaiter<T>)state!).Cancel(), this);
        return task;
    }

    /// <summary>Resumes the route on a pool thread.</summary>
    /// <param name="settlement">The decision about the message.</param>
    /// <param name="exception">Thrown instead; null for none.</param>
    public void Complete(in Settlement settlement, Exception? exception)
    {
        _settlement = settlement;
        _exception = exception;
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    /// <summary>Resumes the route with the cancellation of the message's token.</summary>
    public void CompleteCancelled() => Complete(default, new OperationCanceledException(_context!.CancellationToken));

    void IThreadPoolWorkItem.Execute()
    {
        if (_exception is not null)
        {
            _core.SetException(_exception);
            return;
        }

        _context!.Settlement = _settlement;
        _core.SetResult(true);
    }

    void IValueTaskSource.GetResult(short token)
    {
        PooledResult.EnsureCompleted(ref _core, token);
        try
        {
            _core.GetResult(token);
        }
        finally
        {
            // Waits for a callback that is running: it must not cancel the next message of this object.
            _registration.Dispose();
            Reset();
            collector.Return(this);
        }
    }

    ValueTaskSourceStatus IValueTaskSource.GetStatus(short token) => _core.GetStatus(token);

    void IValueTaskSource.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _core.OnCompleted(continuation, state, token, flags);

    private void Cancel() => collector.Cancel(this);

    private void Reset()
    {
        _core.Reset();
        _registration = default;
        _context = null;
        _settlement = default;
        _exception = null;
        Run = null;
        IsCancelled = false;
    }
}
