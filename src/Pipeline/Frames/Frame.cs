using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;
using System.Threading.Tasks.Sources;

namespace Quayside.Pipeline.Frames;

/// <summary>
/// Holds one suspended async method on the heap, and is the source of its value task. Reused, so that a suspension allocates
/// nothing: rented when the method first suspends, returned when its result is read. Threads: the method runs on one at a
/// time; its completion and the registration of its awaiter may race on two. Few levels of inheritance on purpose: a value
/// task walks them several times per await to check that its source is not a task.
/// </summary>
internal abstract class Frame : IValueTaskSource, IThreadPoolWorkItem
{
    private static readonly ContextCallback MoveNextCallback = static state => ((Frame)state!).MoveNext();

    private static readonly object Completed = new();

    private readonly Action _resume;

    // Null without an awaiter, the frame that waits, the Action<object?> to be called with _continuationState, or Completed.
    private object? _continuation;
    private object? _continuationState;
    private ExceptionDispatchInfo? _error;
    private ExecutionContext? _context;
    private FrameThread? _thread;
    private bool _completed;
    private short _version;

    protected Frame() => _resume = Resume;

    /// <summary>Passed to awaiters; made once per frame.</summary>
    public Action ResumeAction => _resume;

    /// <summary>Which use of the frame a value task belongs to.</summary>
    public short Version => _version;

    /// <summary>The next idle frame; written only by the pool.</summary>
    public Frame? NextIdle { get; set; }

    /// <summary>The thread pool's entry point.</summary>
    public void Execute() => Resume();

    /// <summary>Called where the method suspends: captures its async locals, and so the current activity.</summary>
    /// <param name="thread">The current thread; null when the frame has already run and so knows it.</param>
    public void Suspend(FrameThread? thread)
    {
        if (thread is not null)
        {
            _thread = thread;
        }

        _thread!.Suspending = this;
        _context = ExecutionContext.Capture();
    }

    /// <summary>Runs the method up to its next suspension or its end, in the context it suspended in.</summary>
    public void RunIn(ExecutionContext? ambient, FrameThread thread)
    {
        _thread = thread;
        ExecutionContext? context = _context;
        if (context is null || ReferenceEquals(context, ambient))
        {
            MoveNext();
        }
        else
        {
            ExecutionContext.Run(context, MoveNextCallback, this);
        }

        // Async locals that the method set must not reach the code that resumed it.
        if (ambient is not null && !ReferenceEquals(ExecutionContext.Capture(), ambient))
        {
            ExecutionContext.Restore(ambient);
        }
    }

    public void SetException(Exception exception)
    {
        _error = ExceptionDispatchInfo.Capture(exception);
        Complete();
    }

    public ValueTaskSourceStatus GetStatus(short token)
    {
        Validate(token);
        if (Volatile.Read(ref _continuation) is null || !_completed)
        {
            return ValueTaskSourceStatus.Pending;
        }

        return _error is null ? ValueTaskSourceStatus.Succeeded
            : _error.SourceException is OperationCanceledException ? ValueTaskSourceStatus.Canceled
            : ValueTaskSourceStatus.Faulted;
    }

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
    {
        Validate(token);
        Frame? waiting = _thread?.Suspending;
        if (waiting is null || !ReferenceEquals(waiting._resume, state) || MustBeScheduled(flags))
        {
            Register(continuation, state, flags);
            return;
        }

        object? found = Interlocked.CompareExchange(ref _continuation, waiting, comparand: null);
        if (found is not null)
        {
            ThrowUnlessCompleted(found);
            ThreadPool.UnsafeQueueUserWorkItem(waiting, preferLocal: true);
        }
    }

    [StackTraceHidden]
    void IValueTaskSource.GetResult(short token)
    {
        BeginRead(token);
        EndRead();
    }

    /// <summary>Called when the method has returned: its awaiter continues.</summary>
    public void Complete()
    {
        // As soon as the completion is visible, another thread may read the result and return the frame to its own magazine, whatever
        // the awaiter is. A waiting frame runs next on this thread, but its awaiter need not read the result immediately.
        FrameThread thread = _thread!;
        _thread = null;
        _completed = true;
        object? continuation = Volatile.Read(ref _continuation) ?? Interlocked.CompareExchange(ref _continuation, Completed, comparand: null);
        if (continuation is null)
        {
            return;
        }

        if (continuation is Action<object?> action)
        {
            action(_continuationState);
            return;
        }

        thread.ResumeNext(Unsafe.As<Frame>(continuation));
    }

    protected abstract void MoveNext();

    /// <summary>Clears the method's state and returns the frame to its pool.</summary>
    protected abstract void Recycle(FrameThread thread);

    /// <summary>Checks that the result may be read.</summary>
    protected void BeginRead(short token)
    {
        // A second or early await must not return the frame to the pool while a method runs in it.
        Validate(token);
        if (Volatile.Read(ref _continuation) is null || !_completed)
        {
            throw new InvalidOperationException("The value task has not completed; await it instead of reading its result.");
        }
    }

    /// <summary>Returns the frame to its pool; throws the method's exception if there is one.</summary>
    [StackTraceHidden]
    protected void EndRead()
    {
        ExceptionDispatchInfo? error = _error;
        _error = null;
        _continuation = null;
        _continuationState = null;
        _context = null;
        _thread = null;
        _completed = false;
        _version++;
        Recycle(FrameThread.Current);
        error?.Throw();
    }

    private static bool MustBeScheduled(ValueTaskSourceOnCompletedFlags flags) =>
        (flags & ValueTaskSourceOnCompletedFlags.UseSchedulingContext) != ValueTaskSourceOnCompletedFlags.None
        && (SynchronizationContext.Current is not null || !ReferenceEquals(TaskScheduler.Current, TaskScheduler.Default));

    private static void ThrowUnlessCompleted(object found)
    {
        if (!ReferenceEquals(found, Completed))
        {
            throw new InvalidOperationException("The value task is already being awaited; a value task may be awaited only once.");
        }
    }

    private void Resume() => FrameThread.Current.Run(this);

    /// <summary>Registers an awaiter that is not a frame, or that must continue in a context of its own.</summary>
    private void Register(Action<object?> continuation, object? state, ValueTaskSourceOnCompletedFlags flags)
    {
        object? found = Volatile.Read(ref _continuation);
        if (found is not null)
        {
            ThrowUnlessCompleted(found);
        }

        if (flags.HasFlag(ValueTaskSourceOnCompletedFlags.FlowExecutionContext) || MustBeScheduled(flags))
        {
            (continuation, state) = ScheduledContinuation.Wrap(continuation, state, flags);
        }

        if (found is null)
        {
            // Set before the continuation is visible: the thread that completes the method then reads it.
            _continuationState = state;
            found = Interlocked.CompareExchange(ref _continuation, continuation, comparand: null);
            if (found is null)
            {
                return;
            }

            ThrowUnlessCompleted(found);
        }

        // Already completed. The continuation must not run on the caller's stack: the caller is still suspending.
        ThreadPool.UnsafeQueueUserWorkItem(continuation, state, preferLocal: true);
    }

    private void Validate(short token)
    {
        if (token != _version)
        {
            throw new InvalidOperationException("The value task was already awaited; a value task may be awaited only once.");
        }
    }
}

/// <summary>A frame whose method returns a value, for the builder, which does not know the method.</summary>
internal interface IResultFrame<in TResult>
{
    void Complete(TResult result);
}
