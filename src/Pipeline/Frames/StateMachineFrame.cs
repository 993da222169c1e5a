using System.Runtime.CompilerServices;

namespace Pipeline.Frames;

/// <summary>A frame of one asynchronous method; each method has its own type and so its own pool.</summary>
internal sealed class StateMachineFrame<TStateMachine, TResult> : Frame<TResult>
    where TStateMachine : IAsyncStateMachine
{
    private TStateMachine? _stateMachine;

    public static StateMachineFrame<TStateMachine, TResult> Rent() =>
        (StateMachineFrame<TStateMachine, TResult>?)FramePool<TStateMachine>.TryRent() ?? new StateMachineFrame<TStateMachine, TResult>();

    public void Hold(in TStateMachine stateMachine) => _stateMachine = stateMachine;

    protected override void MoveNext() => _stateMachine!.MoveNext();

    protected override void Recycle()
    {
        _stateMachine = default;
        FramePool<TStateMachine>.Return(this);
    }
}
