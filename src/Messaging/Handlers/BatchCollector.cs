using System.Diagnostics;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Tasks;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Buffers;
using Quayside.Pipeline.Contexts;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Handlers;

/// <summary>
/// Collects the messages of a route into batches, and passes each to the handler. Every message keeps its slot until the handler
/// has returned. Allocates a few objects per batch and nothing per message. Threads: any.
/// </summary>
internal sealed class BatchCollector<T> : WaitingRoom<BatchRun<T>>, IDisposable
{
    private const int RetainedArrays = 16;

    private readonly IBatchHandler<T> _handler;
    private readonly string _route;
    private readonly HandlerReports _reports;
    private readonly IBreaker _breaker;
    private readonly int _maxMessages;
    private readonly int _maxShared;
    private readonly string _undecided;
    private readonly BoundedPool<BatchWaiter<T>> _waiters;
    private readonly BoundedPool<BatchEntry<T>[]> _arrays = new(RetainedArrays);

    // Under the lock.
    private BatchRun<T>? _open;

    /// <param name="handler">The handler.</param>
    /// <param name="options">Sizes and times.</param>
    /// <param name="services">The services of the route.</param>
    /// <param name="reports">Receives the handler's outcomes.</param>
    public BatchCollector(IBatchHandler<T> handler, BatchOptions options, HandlerServices services, HandlerReports reports)
        : base(new Lock(), services.Time, options.MaxAge)
    {
        _handler = handler;
        _route = services.Route;
        _reports = reports;
        _breaker = services.Breaker;
        _maxMessages = options.MaxMessages;
        _maxShared = services.Recoverability.MaxDeliveries / 2;
        _undecided = $"The handler {reports.Handler} did not settle this message of its batch: call Settle for each message, or SettleRest.";
        _waiters = new BoundedPool<BatchWaiter<T>>(services.Concurrency);
    }

    protected override BatchRun<T>? Oldest => _open;

    /// <summary>Adds a message to a batch; the task completes when the settlement is in the context.</summary>
    public ValueTask JoinAsync(MessageContext context, T message)
    {
        // A batch that fails repeatedly because of one message must not cause the others to be dead-lettered.
        bool alone = context.Message.DeliveryCount > _maxShared;
        BatchEntry<T> entry = new() { Message = message, Info = new MessageInfo(_route, context.Message) };
        if (!_waiters.TryTake(out BatchWaiter<T>? waiter))
        {
            waiter = new BatchWaiter<T>(this);
        }

        waiter.Open(context);
        entry.Waiter = waiter;
        lock (Gate)
        {
            BatchRun<T> run = alone ? Begin() : _open ?? BeginShared();
            waiter.Group = run;
            run.Batch.Add(entry);

            // The breaker's single probe must not wait for messages that cannot arrive.
            if (alone || run.Batch.Count == _maxMessages || _breaker.State != BreakerState.Closed)
            {
                Close(run);
            }
        }

        return waiter.Start();
    }

    public void Dispose() => Timer.Dispose();

    /// <summary>
    /// Under the lock. The message leaves a batch that is still open. A batch that is being handled is cancelled as a whole, since its
    /// messages arrived within MaxAge and have no more time than that left.
    /// </summary>
    internal bool TryLeave(BatchRun<T> run, BatchWaiter<T> waiter)
    {
        if (!run.IsOpen)
        {
            return false;
        }

        run.Batch.Remove(waiter);
        waiter.Group = null;
        if (run.Batch.Count == 0)
        {
            _arrays.Return(run.Batch.End());
            _open = null;
        }

        return true;
    }

    internal void Return(BatchWaiter<T> waiter) => _waiters.Return(waiter);

    /// <summary>Passes a closed batch to the handler and settles its messages when the handler has returned. Never throws.</summary>
    internal async Task RunAsync(BatchRun<T> run)
    {
        Exception? failure = null;
        CancellationToken cancellationToken = run.Cancellation.Token;
        try
        {
            cancellationToken.ThrowIfCancellationRequested();
            await (MessageSpans.IsListening ? HandleTracedAsync(run, cancellationToken) : _handler.HandleAsync(run.Batch, cancellationToken));
        }
        catch (Exception exception)
        {
            failure = exception;
        }

        try
        {
            Report(run.Batch, failure, cancellationToken);
        }
        catch (Exception)
        {
            // A log that fails must not keep the messages from being settled.
        }

        Finish(run, failure);
    }

    private async ValueTask HandleTracedAsync(BatchRun<T> run, CancellationToken cancellationToken)
    {
        BatchWaiter<T>[] waiters = run.Batch.Waiters();
        Activity? span =
            MessageSpans.StartProcessBatch(waiters[0].Destination ?? new MessageDestination("worker", _route), [.. waiters.Select(waiter => waiter.Span)]);
        try
        {
            await _handler.HandleAsync(run.Batch, cancellationToken);
        }
        catch (Exception exception)
        {
            MessageSpans.Fail(span, exception);
            throw;
        }
        finally
        {
            MessageSpans.End(span);
        }
    }

    private void Report(MessageBatch<T> batch, Exception? failure, CancellationToken cancellationToken)
    {
        if (failure is not null)
        {
            _reports.Threw(failure, message: null, cancellationToken);
        }

        // Messages that were settled before the handler threw stay settled.
        Settlement fault = batch.FindFault();
        if (failure is null || fault.Fault != SettlementFault.None)
        {
            _reports.Returned(fault.Fault, fault.Description);
        }
    }

    private void Finish(BatchRun<T> run, Exception? failure)
    {
        int count = run.Batch.Count;
        BatchEntry<T>[] entries = run.Batch.End();
        lock (Gate)
        {
            for (int i = 0; i < count; i++)
            {
                entries[i].Waiter!.Group = null;
            }
        }

        bool cancelled = failure is OperationCanceledException && run.Cancellation.IsCancellationRequested;
        for (int i = 0; i < count; i++)
        {
            Complete(entries[i], failure, cancelled);
        }

        Array.Clear(entries, 0, count);
        _arrays.Return(entries);
    }

    private void Complete(in BatchEntry<T> entry, Exception? failure, bool cancelled)
    {
        BatchWaiter<T> waiter = entry.Waiter!;
        if (entry.Settlement.IsDecided || failure is null)
        {
            waiter.Settle(entry.Settlement.IsDecided ? entry.Settlement : Undecided(_undecided));
        }
        else if (cancelled && waiter.IsCancelled)
        {
            waiter.CompleteCancelled();
        }
        else if (cancelled)
        {
            waiter.Settle(
                Undecided(
                    "The message's batch was cancelled: another of its messages reached Intake:MessageTimeout, or the drain timeout ended.",
                    failure!.GetType().FullName));
        }
        else
        {
            // One message is poison, and the exception does not say which.
            bool known = _reports.Rules.TryRead(failure, isCancelled: false, out Settlement settlement) && settlement.Fault != SettlementFault.None;
            waiter.Settle(known ? settlement : Undecided(UntrustedText.MessageOf(failure), failure.GetType().FullName) with { Exception = failure });
        }
    }

    private static Settlement Undecided(string why, string? exceptionType = null) =>
        new(SettlementKind.Undecided, Description: why, ExceptionType: exceptionType);

    protected override void CloseAged(BatchRun<T> group) => Close(group);

    /// <summary>Under the lock.</summary>
    private BatchRun<T> BeginShared()
    {
        _open = Begin();
        SetTimer();
        return _open;
    }

    /// <summary>Under the lock.</summary>
    private BatchRun<T> Begin()
    {
        BatchEntry<T>[] entries = _arrays.TryTake(out BatchEntry<T>[]? kept) ? kept : new BatchEntry<T>[_maxMessages];
        return new BatchRun<T>(this, new MessageBatch<T>(entries, _reports), NextDeadline());
    }

    /// <summary>Under the lock: closes the batch to further messages and starts its handling.</summary>
    private void Close(BatchRun<T> run)
    {
        run.Close();
        if (ReferenceEquals(_open, run))
        {
            _open = null;
        }

        ThreadPool.UnsafeQueueUserWorkItem(run, preferLocal: false);
    }
}

/// <summary>One message of a batch.</summary>
internal struct BatchEntry<T>
{
    public T Message;
    public MessageInfo Info;

    /// <summary>What the handler decided; undecided at first.</summary>
    public Settlement Settlement;

    /// <summary>The waiter that the message's route awaits; null in a batch without a worker.</summary>
    public BatchWaiter<T>? Waiter;
}

/// <summary>One batch from its first message to the end of its handler.</summary>
internal sealed class BatchRun<T> : WaitingGroup
{
    private readonly BatchCollector<T> _collector;

    public BatchRun(BatchCollector<T> collector, MessageBatch<T> batch, long deadline)
    {
        _collector = collector;
        Batch = batch;
        Deadline = deadline;
        IsOpen = true;
    }

    public MessageBatch<T> Batch { get; }

    public override bool IsUnwanted => !IsOpen;

    public void Close() => IsOpen = false;

    protected override Task RunAsync() => _collector.RunAsync(this);
}

/// <summary>A message that waits for its batch, and the task that its route awaits.</summary>
internal sealed class BatchWaiter<T>(BatchCollector<T> collector) : WaitingMessage<BatchRun<T>, bool>(collector)
{
    private MessageContext? _context;

    /// <summary>The message's span; null without a listener. Valid only while the message waits, like <see cref="Destination"/>.</summary>
    public Activity? Span => _context!.Message.Span;

    /// <summary>Where the message was received from.</summary>
    public MessageDestination? Destination => _context!.Destination;

    public void Open(MessageContext context) => _context = context;

    /// <summary>The route's task; called once, after the message joined its batch.</summary>
    public ValueTask Start() => new(this, Begin(_context!.CancellationToken));

    /// <summary>Resumes the route with the decision about the message.</summary>
    public void Settle(in Settlement settlement)
    {
        _context!.Settlement = settlement;
        Complete(true);
    }

    public override void Recycle()
    {
        base.Recycle();
        _context = null;
        collector.Return(this);
    }

    protected override bool TryLeave(BatchRun<T> group) => collector.TryLeave(group, this);
}
