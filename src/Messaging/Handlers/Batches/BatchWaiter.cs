using System.Diagnostics;
using System.Threading.Tasks.Sources;
using Pipeline.Contexts;
using Pipeline.Messages;
using Pipeline.Settlements;

namespace Messaging.Handlers.Batches;

/// <summary>
/// A message that waits for its batch, and the task its route awaits. Pooled: it is returned when the result is taken, and not before.
/// What has no lock of its own is guarded by the collector's.
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

    /// <summary>True once the message's own token has ended.</summary>
    public bool IsCancelled { get; set; }

    /// <summary>The message's span; null without a listener. Only while the message waits, as <see cref="Destination"/>.</summary>
    public Activity? Span => _context!.Message.Span;

    /// <summary>Where the message was received from.</summary>
    public MessageDestination? Destination => _context!.Destination;

    public void Open(PhysicalContext context) => _context = context;

    /// <summary>The route's task; called once, after the message joined its batch.</summary>
    public ValueTask Start()
    {
        ValueTask task = new(this, _core.Version);

        // Only the route takes the result, and only after this returns: the field is set by then, whatever has happened to the batch.
        _registration = _context!.CancellationToken.UnsafeRegister(static state => ((BatchWaiter<T>)state!).Cancel(), this);
        return task;
    }

    /// <summary>Lets the route go on, on a pool thread.</summary>
    /// <param name="settlement">What was decided.</param>
    /// <param name="exception">Thrown instead; null for none.</param>
    public void Complete(in Settlement settlement, Exception? exception)
    {
        _settlement = settlement;
        _exception = exception;
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    /// <summary>Lets the route go on with the end of the message's token.</summary>
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
        try
        {
            _core.GetResult(token);
        }
        finally
        {
            // Waits for a callback that runs just now; the next message of this object must not be cancelled by it.
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
