using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Pipeline.Frames;

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
