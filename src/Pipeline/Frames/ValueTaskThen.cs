using System.Runtime.CompilerServices;

namespace Pipeline.Frames;

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
