using System.Diagnostics;
using System.Threading.Tasks.Sources;

namespace Quayside.Pipeline.Frames;

/// <summary>The result of a method that threw before it suspended. Not pooled: the exception costs a hundred times as much.</summary>
internal sealed class FaultedSource<TResult> : IValueTaskSource<TResult>, IValueTaskSource
{
    private ManualResetValueTaskSourceCore<TResult> _core;

    public FaultedSource(Exception exception) => _core.SetException(exception);

    public short Version => _core.Version;

    public ValueTaskSourceStatus GetStatus(short token) => _core.GetStatus(token);

    [StackTraceHidden]
    public TResult GetResult(short token) => _core.GetResult(token);

    [StackTraceHidden]
    void IValueTaskSource.GetResult(short token) => _core.GetResult(token);

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _core.OnCompleted(continuation, state, token, flags);
}
