using System.Runtime.CompilerServices;

namespace Quayside.Pipeline.Frames;

/// <summary>
/// Builds <see cref="ValueTask"/> methods whose suspensions allocate nothing at any number of messages in flight:
/// <c>[AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder))]</c>. The task must be awaited exactly once, as the contract of a
/// value task demands; a task that is never awaited drops its frame to the garbage collector.
/// </summary>
public struct PooledAsyncMethodBuilder
{
    private PooledAsyncMethodBuilder<ValueTuple> _builder;

    /// <summary>The method's task.</summary>
    public readonly ValueTask Task => _builder.VoidTask;

    /// <summary>Called by the compiler.</summary>
    public static PooledAsyncMethodBuilder Create() => default;

    /// <summary>Called by the compiler.</summary>
    public readonly void Start<TStateMachine>(ref TStateMachine stateMachine)
        where TStateMachine : IAsyncStateMachine => _builder.Start(ref stateMachine);

    /// <summary>Called by the compiler; there is nothing to do.</summary>
    public readonly void SetStateMachine(IAsyncStateMachine stateMachine)
    {
    }

    /// <summary>Called by the compiler.</summary>
    public void SetResult() => _builder.SetResult(default);

    /// <summary>Called by the compiler.</summary>
    public void SetException(Exception exception) => _builder.SetException(exception);

    /// <summary>Called by the compiler.</summary>
    public void AwaitOnCompleted<TAwaiter, TStateMachine>(ref TAwaiter awaiter, ref TStateMachine stateMachine)
        where TAwaiter : INotifyCompletion
        where TStateMachine : IAsyncStateMachine => _builder.AwaitOnCompleted(ref awaiter, ref stateMachine);

    /// <summary>Called by the compiler.</summary>
    public void AwaitUnsafeOnCompleted<TAwaiter, TStateMachine>(ref TAwaiter awaiter, ref TStateMachine stateMachine)
        where TAwaiter : ICriticalNotifyCompletion
        where TStateMachine : IAsyncStateMachine => _builder.AwaitUnsafeOnCompleted(ref awaiter, ref stateMachine);
}
