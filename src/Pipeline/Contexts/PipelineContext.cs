using Pipeline.Settlements;

namespace Pipeline.Contexts;

/// <summary>
/// What the parts of a stage share about one message. Pooled: parts never keep one beyond the call, and
/// <see cref="Reset"/> clears every field. Threads: one message, one thread at a time.
/// </summary>
public abstract class PipelineContext
{
    /// <summary>Cancels the processing of this message: its time is up, or the worker stops without waiting any longer.</summary>
    public CancellationToken CancellationToken { get; set; }

    /// <summary>The settlement decided so far; an undecided message is abandoned.</summary>
    public Settlement Settlement { get; set; }

    /// <summary>Clears every field for the next message.</summary>
    public virtual void Reset()
    {
        CancellationToken = default;
        Settlement = default;
    }
}
