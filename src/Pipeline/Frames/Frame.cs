namespace Pipeline.Frames;

/// <summary>
/// The heap home of one suspended asynchronous method: reused, so that a suspension allocates nothing.
/// Threads: one at a time, like the method itself; rented when it first suspends, given back when its result was read.
/// </summary>
internal abstract class Frame : IThreadPoolWorkItem
{
    private static readonly ContextCallback MoveNextCallback = static state => ((Frame)state!).MoveNext();

    private ExecutionContext? _context;

    protected Frame() => ResumeAction = Resume;

    /// <summary>Handed to awaiters; made once a frame.</summary>
    public Action ResumeAction { get; }

    /// <summary>The next idle frame; written only by the pool.</summary>
    public Frame? NextIdle { get; set; }

    /// <summary>The next batch of idle frames, on the first frame of a batch; written only by the pool.</summary>
    public Frame? NextBatch { get; set; }

    /// <summary>The thread pool's entry, for a method that yielded.</summary>
    public void Execute() => Trampoline.Run(this);

    /// <summary>Remembers what flows with the method: async locals, and with them the current activity.</summary>
    public void CaptureContext() => _context = ExecutionContext.Capture();

    /// <summary>Runs the method up to its next suspension or its end, in the context it suspended in.</summary>
    public void RunInContext()
    {
        ExecutionContext? context = _context;
        if (context is null)
        {
            // The flow was suppressed where the method suspended.
            MoveNext();
            return;
        }

        if (!ReferenceEquals(ExecutionContext.Capture(), context))
        {
            ExecutionContext.Run(context, MoveNextCallback, this);
            return;
        }

        MoveNext();

        // What the method set in its async locals is not for the code that resumed it.
        if (!ReferenceEquals(ExecutionContext.Capture(), context))
        {
            ExecutionContext.Restore(context);
        }
    }

    protected void ForgetContext() => _context = null;

    protected abstract void MoveNext();

    private void Resume() => Trampoline.Run(this);
}
