using System.Threading.Tasks.Sources;
using Quayside.Pipeline.Behaviors;

namespace Pipeline.Tests.Parts;

/// <summary>A task source like a pooled one: reading its result returns it to the pool, so the result must be read exactly once.</summary>
internal sealed class OnceReadSource : IValueTaskSource, IValueTaskSource<StepOutcome>
{
    private ManualResetValueTaskSourceCore<StepOutcome> _core;
    private int _timesRead;

    public OnceReadSource(bool completed)
    {
        if (completed)
        {
            _core.SetResult(StepOutcome.Continue);
        }
        else
        {
            _core.RunContinuationsAsynchronously = true;
            ThreadPool.QueueUserWorkItem(static source => source._core.SetResult(StepOutcome.Continue), this, preferLocal: false);
        }
    }

    public int TimesRead => Volatile.Read(ref _timesRead);

    public ValueTask Task => new(this, _core.Version);

    public ValueTask<StepOutcome> TaskOfOutcome => new(this, _core.Version);

    void IValueTaskSource.GetResult(short token) => GetResult(token);

    public StepOutcome GetResult(short token)
    {
        Interlocked.Increment(ref _timesRead);
        return _core.GetResult(token);
    }

    public ValueTaskSourceStatus GetStatus(short token) => _core.GetStatus(token);

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _core.OnCompleted(continuation, state, token, flags);
}
