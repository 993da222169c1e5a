using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading.Tasks.Sources;

namespace Quayside.Pipeline.Frames;

/// <summary>A frame of one asynchronous method; each method has its own type and so its own pool.</summary>
/// <typeparam name="TStateMachine">What the compiler made of the method.</typeparam>
/// <typeparam name="TResult">The method's result, which is read once; an empty struct for none.</typeparam>
internal sealed class StateMachineFrame<TStateMachine, TResult> : Frame, IResultFrame<TResult>, IValueTaskSource<TResult>
    where TStateMachine : IAsyncStateMachine
{
    private static readonly FramePool Pool = new();

    private TStateMachine? _stateMachine;
    private TResult? _result;

    public static StateMachineFrame<TStateMachine, TResult> Rent(FrameThread thread)
    {
        Frame? frame = Pool.TryRent(thread);
        return frame is null ? new StateMachineFrame<TStateMachine, TResult>() : Unsafe.As<StateMachineFrame<TStateMachine, TResult>>(frame);
    }

    public void Hold(in TStateMachine stateMachine) => _stateMachine = stateMachine;

    public void Complete(TResult result)
    {
        _result = result;
        Complete();
    }

    [StackTraceHidden]
    TResult IValueTaskSource<TResult>.GetResult(short token)
    {
        BeginRead(token);
        TResult result = _result!;
        _result = default;
        EndRead();
        return result;
    }

    protected override void MoveNext() => _stateMachine!.MoveNext();

    protected override void Recycle(FrameThread thread)
    {
        _stateMachine = default;
        Pool.Return(this, thread);
    }
}
