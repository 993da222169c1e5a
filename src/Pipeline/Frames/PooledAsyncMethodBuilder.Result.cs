using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading.Tasks.Sources;

namespace Quayside.Pipeline.Frames;

/// <summary>As <see cref="PooledAsyncMethodBuilder"/>, for methods with a result.</summary>
/// <typeparam name="TResult">The method's result.</typeparam>
[StructLayout(LayoutKind.Auto)]
public struct PooledAsyncMethodBuilder<TResult>
{
    // The method's frame once it suspended, or the exception it threw before that.
    private object? _state;
    private TResult? _result;

    /// <summary>The method's task.</summary>
    public readonly ValueTask<TResult> Task => _state switch
    {
        null => new ValueTask<TResult>(_result!),
        Frame frame => new ValueTask<TResult>(Unsafe.As<IValueTaskSource<TResult>>(frame), frame.Version),
        _ => FaultedTask(),
    };

    internal readonly ValueTask VoidTask => _state switch
    {
        null => default,
        Frame frame => new ValueTask(frame, frame.Version),
        _ => FaultedVoidTask(),
    };

    /// <summary>Called by the compiler.</summary>
    [SuppressMessage("Design", "CA1000:Do not declare static members on generic types", Justification = "The compiler's contract.")]
    public static PooledAsyncMethodBuilder<TResult> Create() => default;

    /// <summary>Called by the compiler.</summary>
    public readonly void Start<TStateMachine>(ref TStateMachine stateMachine)
        where TStateMachine : IAsyncStateMachine
    {
        // Keeps the method's changes to the execution context from leaking to its caller; the builder's own state is not used.
        default(AsyncValueTaskMethodBuilder).Start(ref stateMachine);
    }

    /// <summary>Called by the compiler; there is nothing to do.</summary>
    public readonly void SetStateMachine(IAsyncStateMachine stateMachine)
    {
    }

    /// <summary>Called by the compiler.</summary>
    public void SetResult(TResult result)
    {
        if (_state is null)
        {
            _result = result;
        }
        else if (typeof(TResult) == typeof(ValueTuple))
        {
            Unsafe.As<Frame>(_state).Complete();
        }
        else
        {
            Unsafe.As<IResultFrame<TResult>>(_state).Complete(result);
        }
    }

    /// <summary>Called by the compiler.</summary>
    public void SetException(Exception exception)
    {
        if (_state is null)
        {
            _state = exception;
        }
        else
        {
            Unsafe.As<Frame>(_state).SetException(exception);
        }
    }

    /// <summary>Called by the compiler.</summary>
    public void AwaitOnCompleted<TAwaiter, TStateMachine>(ref TAwaiter awaiter, ref TStateMachine stateMachine)
        where TAwaiter : INotifyCompletion
        where TStateMachine : IAsyncStateMachine
    {
        bool first = _state is null;
        try
        {
            awaiter.OnCompleted(FrameOf(ref stateMachine).ResumeAction);
        }
        catch
        {
            ForgetFrame(first);
            throw;
        }
    }

    /// <summary>Called by the compiler.</summary>
    public void AwaitUnsafeOnCompleted<TAwaiter, TStateMachine>(ref TAwaiter awaiter, ref TStateMachine stateMachine)
        where TAwaiter : ICriticalNotifyCompletion
        where TStateMachine : IAsyncStateMachine
    {
        bool first = _state is null;
        Frame frame = FrameOf(ref stateMachine);
        if (typeof(TAwaiter) == typeof(YieldAwaitable.YieldAwaiter)
            && SynchronizationContext.Current is null
            && ReferenceEquals(TaskScheduler.Current, TaskScheduler.Default))
        {
            // The awaiter would allocate a work item around the delegate; the frame is one.
            ThreadPool.UnsafeQueueUserWorkItem(frame, preferLocal: false);
            return;
        }

        try
        {
            awaiter.UnsafeOnCompleted(frame.ResumeAction);
        }
        catch
        {
            ForgetFrame(first);
            throw;
        }
    }

    /// <summary>An awaiter that throws instead of waiting has not suspended the method, which continues where it is, not in the frame.</summary>
    private void ForgetFrame(bool first)
    {
        if (first)
        {
            _state = null;
        }
    }

    private readonly ValueTask<TResult> FaultedTask()
    {
        FaultedSource<TResult> source = new((Exception)_state!);
        return new ValueTask<TResult>(source, source.Version);
    }

    private readonly ValueTask FaultedVoidTask()
    {
        FaultedSource<TResult> source = new((Exception)_state!);
        return new ValueTask(source, source.Version);
    }

    private Frame FrameOf<TStateMachine>(ref TStateMachine stateMachine)
        where TStateMachine : IAsyncStateMachine
    {
        if (_state is not null)
        {
            Frame held = Unsafe.As<Frame>(_state);
            held.Suspend(thread: null);
            return held;
        }

        FrameThread thread = FrameThread.Current;
        StateMachineFrame<TStateMachine, TResult> frame = StateMachineFrame<TStateMachine, TResult>.Rent(thread);

        // Set before the copy: this builder is part of the state machine.
        _state = frame;
        frame.Hold(stateMachine);
        frame.Suspend(thread);
        return frame;
    }
}
