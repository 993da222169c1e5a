using System.Threading.Tasks.Sources;
using Quayside.Pipeline.Contexts;

namespace Pipeline.Tests.Allocations;

/// <summary>Counts the parts; its terminator may suspend until the test resumes it. Reusable, so it allocates nothing itself.</summary>
internal sealed class MeasuredContext : PipelineContext, IValueTaskSource
{
    private ManualResetValueTaskSourceCore<bool> _hop;

    public int Count { get; set; }

    public bool Hops { get; init; }

    public ValueTask EndAsync()
    {
        Count++;
        return Hops ? new ValueTask(this, _hop.Version) : default;
    }

    public void Resume() => _hop.SetResult(true);

    public void GetResult(short token)
    {
        _hop.GetResult(token);
        _hop.Reset();
    }

    public ValueTaskSourceStatus GetStatus(short token) => _hop.GetStatus(token);

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _hop.OnCompleted(continuation, state, token, flags);
}
