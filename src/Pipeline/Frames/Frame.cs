using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;
using System.Threading.Tasks.Sources;

namespace Pipeline.Frames;

/// <summary>
/// The heap home of one suspended asynchronous method, and the source of its value task: reused, so that a suspension allocates
/// nothing. Rented when the method first suspends, given back when its result was read. Threads: the method runs on one at a
/// time; completion and the registration of who waits for it may meet on two. Few levels of inheritance on purpose: a value
/// task walks them several times an await to see that its source is no task.
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

    /// <summary>Handed to awaiters; made once a frame.</summary>
    public Action ResumeAction => _resume;

    /// <summary>Which use of the frame a value task belongs to.</summary>
    public short Version => _version;

    /// <summary>The next idle frame; written only by the pool.</summary>
    public Frame? NextIdle { get; set; }

    /// <summary>The thread pool's entry.</summary>
    public void Execute() => Resume();

    /// <summary>The method suspends here: remembers what flows with it, the async locals and so the current activity.</summary>
    /// <param name="thread">The current one; null when the frame has run already and so knows it.</param>
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

        // What the method set in its async locals is not for the code that resumed it.
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

    /// <summary>The method returned: its awaiter goes on.</summary>
    public void Complete()
    {
        // Another thread may read the result as soon as the completion shows, and returns the frame there: to its own stock, whatever
        // the awaiter is. A waiting frame runs next on this thread, but its awaiter need not read the result at once.
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

    /// <summary>Clears the method's state and gives the frame back to its pool.</summary>
    protected abstract void Recycle(FrameThread thread);

    /// <summary>Checks that the result may be read.</summary>
    protected void BeginRead(short token)
    {
        // A second or early await must not give the frame back to the pool under the method that runs in it.
        Validate(token);
        if (Volatile.Read(ref _continuation) is null || !_completed)
        {
            throw new InvalidOperationException("The value task has not completed; await it instead of reading its result.");
        }
    }

    /// <summary>Gives the frame back; throws the method's exception if there is one.</summary>
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
            throw new InvalidOperationException("The value task is awaited a second time; a value task may be awaited once.");
        }
    }

    private void Resume() => FrameThread.Current.Run(this);

    /// <summary>The awaiter is no frame, or must go on in a context of its own.</summary>
    private void Register(Action<object?> continuation, object? state, ValueTaskSourceOnCompletedFlags flags)
    {
        object? found = Volatile.Read(ref _continuation);
        if (found is not null)
        {
            ThrowUnlessCompleted(found);
        }

        if (flags != ValueTaskSourceOnCompletedFlags.None)
        {
            (continuation, state) = ScheduledContinuation.Wrap(continuation, state, flags);
        }

        if (found is null)
        {
            // Before the continuation shows: the thread that completes the method then reads it.
            _continuationState = state;
            found = Interlocked.CompareExchange(ref _continuation, continuation, comparand: null);
            if (found is null)
            {
                return;
            }

            ThrowUnlessCompleted(found);
        }

        // Completed already. Never on the caller's stack: it is still suspending.
        ThreadPool.UnsafeQueueUserWorkItem(continuation, state, preferLocal: true);
    }

    private void Validate(short token)
    {
        if (token != _version)
        {
            throw new InvalidOperationException("The value task was awaited already; a value task may be awaited once.");
        }
    }
}
