namespace Quayside.Pipeline.Frames;

/// <summary>
/// What the frames on one thread share: the idle ones that the thread keeps for itself, and the one that resumes next.
/// Threads: only its own. Looked up once per suspension and once per resumption from outside, since each look-up of a
/// thread-static costs a call into the C library.
/// </summary>
internal sealed class FrameThread
{
    [ThreadStatic]
    private static FrameThread? _current;

    private Magazine[] _magazines = new Magazine[16];
    private Frame? _next;

    public static FrameThread Current => _current ??= new FrameThread();

    /// <summary>The frame that suspended last: lets the source it awaits recognise it by its delegate, without a type check.</summary>
    public Frame? Suspending { get; set; }

    public ref Magazine MagazineOf(FramePool pool)
    {
        if (pool.Index >= _magazines.Length)
        {
            Array.Resize(ref _magazines, Math.Max(pool.Index + 1, 2 * _magazines.Length));
        }

        return ref _magazines[pool.Index];
    }

    /// <summary>
    /// Runs the frame and then, one after another, each frame that awaited the one before. A suspended chain of 40 parts thus unwinds
    /// on a flat stack; nested, every resumption past the processor's 16 or so predicted returns would cost twice as much. May be
    /// called again within a frame, when a part completes a task that another frame awaits: that frame has run when the inner
    /// call returns, as if it had been resumed in place.
    /// </summary>
    public void Run(Frame frame)
    {
        Frame? outerNext = _next;
        ExecutionContext? ambient = ExecutionContext.Capture();
        Frame? current = frame;
        do
        {
            _next = null;
            current.RunIn(ambient, this);
            current = _next;
        }
        while (current is not null);

        _next = outerNext;
    }

    /// <summary>Makes the frame that awaited the one now ending on this thread run next.</summary>
    public void ResumeNext(Frame waiting) => _next = waiting;

    /// <summary>Idle frames of one method, linked through <see cref="Frame.NextIdle"/>.</summary>
    internal struct Magazine
    {
        public Frame? Head;
        public int Count;
    }
}
