using System.Threading.Tasks.Sources;
using Quayside.Pipeline.Contexts;

namespace Benchmarks.Pipelines;

/// <summary>One message: a sum that every part changes before and after the rest, and the hop on which its tail suspends.</summary>
internal sealed class BenchContext : PipelineContext, IValueTaskSource
{
    private ManualResetValueTaskSourceCore<bool> _hop;

    public int Sum { get; set; }

    public Tail Tail { get; set; }

    public void Enter(int value) => Sum = (Sum * 31) + value;

    public void Leave(int value) => Sum ^= value;

    /// <summary>The terminator's work; all variants end in this call.</summary>
    public ValueTask EndAsync()
    {
        Sum++;
        return Tail switch
        {
            Tail.Returns => default,
            Tail.Throws => throw new BenchException(),
            _ => new ValueTask(this, _hop.Version),
        };
    }

    /// <summary>Completes the hop: its awaiter runs within this call.</summary>
    public void Resume()
    {
        if (Tail == Tail.ThrowsAfterHop)
        {
            _hop.SetException(new BenchException());
        }
        else
        {
            _hop.SetResult(true);
        }
    }

    public override void Reset()
    {
        base.Reset();
        Sum = 0;
    }

    public void GetResult(short token)
    {
        try
        {
            _hop.GetResult(token);
        }
        finally
        {
            _hop.Reset();
        }
    }

    public ValueTaskSourceStatus GetStatus(short token) => _hop.GetStatus(token);

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _hop.OnCompleted(continuation, state, token, flags);
}
