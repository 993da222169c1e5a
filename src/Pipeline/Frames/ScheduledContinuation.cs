using System.Threading.Tasks.Sources;

namespace Quayside.Pipeline.Frames;

/// <summary>
/// A continuation with the context it must run in. Made only for such a context: a synchronisation context, a task scheduler
/// other than the default, or an awaiter that asks for the execution context to flow. None exists in a worker service.
/// </summary>
internal sealed class ScheduledContinuation
{
    private static readonly Action<object?> Run = static state => ((ScheduledContinuation)state!).Start();
    private static readonly SendOrPostCallback Post = static state => ((ScheduledContinuation)state!).Invoke();
    private static readonly ContextCallback InContext = static state => ((ScheduledContinuation)state!).Call();

    private readonly Action<object?> _continuation;
    private readonly object? _state;
    private readonly ExecutionContext? _flow;
    private readonly SynchronizationContext? _context;
    private readonly TaskScheduler? _scheduler;

    private ScheduledContinuation(
        Action<object?> continuation, object? state, ExecutionContext? flow, SynchronizationContext? context, TaskScheduler? scheduler)
    {
        _continuation = continuation;
        _state = state;
        _flow = flow;
        _context = context;
        _scheduler = scheduler;
    }

    /// <summary>Returns the continuation unchanged when it needs no context beyond the default.</summary>
    public static (Action<object?> Continuation, object? State) Wrap(Action<object?> continuation, object? state, ValueTaskSourceOnCompletedFlags flags)
    {
        ExecutionContext? flow = flags.HasFlag(ValueTaskSourceOnCompletedFlags.FlowExecutionContext) ? ExecutionContext.Capture() : null;
        SynchronizationContext? context = null;
        TaskScheduler? scheduler = null;
        if (flags.HasFlag(ValueTaskSourceOnCompletedFlags.UseSchedulingContext))
        {
            context = SynchronizationContext.Current;
            scheduler = context is not null || ReferenceEquals(TaskScheduler.Current, TaskScheduler.Default) ? null : TaskScheduler.Current;
        }

        return flow is null && context is null && scheduler is null
            ? (continuation, state)
            : (Run, new ScheduledContinuation(continuation, state, flow, context, scheduler));
    }

    private void Start()
    {
        if (_context is not null)
        {
            _context.Post(Post, this);
        }
        else if (_scheduler is not null)
        {
            _ = Task.Factory.StartNew(
                static state => ((ScheduledContinuation)state!).Invoke(), this, CancellationToken.None, TaskCreationOptions.DenyChildAttach, _scheduler);
        }
        else
        {
            Invoke();
        }
    }

    private void Invoke()
    {
        if (_flow is null)
        {
            Call();
        }
        else
        {
            ExecutionContext.Run(_flow, InContext, this);
        }
    }

    private void Call() => _continuation(_state);
}
