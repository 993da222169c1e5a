using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Quayside.Pipeline.Frames;

/// <summary>The synchronous fast path for parts that do something after the rest of the chain.</summary>
public static class ValueTaskThen
{
    /// <summary>
    /// Calls <paramref name="then"/> once <paramref name="rest"/> has returned: immediately when it has completed, otherwise from a pooled
    /// frame, so that neither allocates. Not called when the rest throws. Pass a static lambda or a static method
    /// group: <c>return next.InvokeAsync(context).Then(context, static c =&gt; c.Stop());</c>
    /// </summary>
    /// <typeparam name="TState">A reference type: usually the context.</typeparam>
    /// <param name="rest">Consumed: awaited exactly once.</param>
    /// <param name="state">Passed to <paramref name="then"/>.</param>
    /// <param name="then">Must not suspend; what it throws is the result's exception.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ValueTask Then<TState>(this ValueTask rest, TState state, Action<TState> then)
        where TState : class
    {
        if (!rest.IsCompleted)
        {
            // Safe: the delegate is only ever called with this state.
            return ThenFrame.Await(rest, state, Unsafe.As<Action<object>>(then));
        }

        // Throws what the rest threw: a task that has already failed need not go through the thread pool.
        rest.GetAwaiter().GetResult();
        then(state);
        return default;
    }
}

/// <summary>
/// The frame in which <see cref="ValueTaskThen"/> waits: an async method with a single await, written by hand. It starts suspended,
/// which saves what the compiler's state machine does before its first suspension, a third of the cost. One class for all
/// contexts: a generic one over reference types would look up its pool in a dictionary.
/// </summary>
internal sealed class ThenFrame : Frame
{
    private static readonly FramePool Pool = new();

    private ValueTask _rest;
    private object? _state;
    private Action<object>? _then;

    /// <summary>Waits for <paramref name="rest"/>, then calls <paramref name="then"/>.</summary>
    public static ValueTask Await(ValueTask rest, object state, Action<object> then)
    {
        FrameThread thread = FrameThread.Current;
        Frame? idle = Pool.TryRent(thread);
        ThenFrame frame = idle is null ? new ThenFrame() : Unsafe.As<ThenFrame>(idle);
        frame._rest = rest;
        frame._state = state;
        frame._then = then;
        frame.Suspend(thread);
        ValueTask task = new(frame, frame.Version);
        rest.ConfigureAwait(false).GetAwaiter().UnsafeOnCompleted(frame.ResumeAction);
        return task;
    }

    [StackTraceHidden]
    protected override void MoveNext()
    {
        try
        {
            _rest.GetAwaiter().GetResult();
            _then!(_state!);
        }
        catch (Exception exception)
        {
            SetException(exception);
            return;
        }

        Complete();
    }

    protected override void Recycle(FrameThread thread)
    {
        _rest = default;
        _state = null;
        _then = null;
        Pool.Return(this, thread);
    }
}
