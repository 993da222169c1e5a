using System.Threading.Tasks.Sources;

namespace Pipeline.Frames;

/// <summary>A frame as the source of its method's value task. The result is read once; reading it gives the frame back.</summary>
/// <typeparam name="TResult">The method's result; an empty struct for none.</typeparam>
internal abstract class Frame<TResult> : Frame, IValueTaskSource<TResult>, IValueTaskSource
{
    private ManualResetValueTaskSourceCore<TResult> _core;

    public short Version => _core.Version;

    public void SetResult(TResult result) => _core.SetResult(result);

    public void SetException(Exception exception) => _core.SetException(exception);

    public ValueTaskSourceStatus GetStatus(short token) => _core.GetStatus(token);

    public TResult GetResult(short token)
    {
        // A second or early await must not give the frame back to the pool under the method that runs in it.
        if (_core.GetStatus(token) == ValueTaskSourceStatus.Pending)
        {
            throw new InvalidOperationException("The value task has not completed; await it instead of reading its result.");
        }

        try
        {
            return _core.GetResult(token);
        }
        finally
        {
            _core.Reset();
            ForgetContext();
            Recycle();
        }
    }

    void IValueTaskSource.GetResult(short token) => GetResult(token);

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
    {
        if (state is Action { Target: Frame waiting } && !MustBeScheduled(flags))
        {
            _core.OnCompleted(Trampoline.Continue, waiting, token, flags & ~ValueTaskSourceOnCompletedFlags.UseSchedulingContext);
        }
        else
        {
            _core.OnCompleted(continuation, state, token, flags);
        }
    }

    /// <summary>Clears the method's state and gives the frame back to its pool.</summary>
    protected abstract void Recycle();

    private static bool MustBeScheduled(ValueTaskSourceOnCompletedFlags flags) =>
        (flags & ValueTaskSourceOnCompletedFlags.UseSchedulingContext) != ValueTaskSourceOnCompletedFlags.None
        && (SynchronizationContext.Current is not null || !ReferenceEquals(TaskScheduler.Current, TaskScheduler.Default));
}
