using System.Threading.Tasks.Sources;
using Quayside.Pipeline.Behaviors;

namespace Pipeline.Tests.Parts;

/// <summary>
/// A task that is pending at the first check of its state and completed at the second, like any task that another
/// thread completes: a caller that checks twice must be consistent.
/// </summary>
internal sealed class LateSource(Exception? exception = null) : IValueTaskSource, IValueTaskSource<StepOutcome>, IValueTaskSource<ErrorOutcome>
{
    private int _looks;

    public ValueTask Task => new(this, 0);

    public ValueTask<StepOutcome> TaskOfOutcome => new(this, 0);

    public ValueTask<ErrorOutcome> TaskOfErrorOutcome => new(this, 0);

    public void GetResult(short token)
    {
        if (exception is not null)
        {
            throw exception;
        }
    }

    StepOutcome IValueTaskSource<StepOutcome>.GetResult(short token)
    {
        GetResult(token);
        return StepOutcome.Continue;
    }

    ErrorOutcome IValueTaskSource<ErrorOutcome>.GetResult(short token)
    {
        GetResult(token);
        return ErrorOutcome.Rethrow;
    }

    public ValueTaskSourceStatus GetStatus(short token) => Interlocked.Increment(ref _looks) == 1 ? ValueTaskSourceStatus.Pending
        : exception is null ? ValueTaskSourceStatus.Succeeded
        : ValueTaskSourceStatus.Faulted;

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        ThreadPool.UnsafeQueueUserWorkItem(continuation, state, preferLocal: false);
}
