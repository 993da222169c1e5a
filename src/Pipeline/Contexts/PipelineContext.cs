using System.Diagnostics.CodeAnalysis;
using Pipeline.Messages;
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

/// <summary>The first stage's context: the message as bytes, before anything was read from it.</summary>
public sealed class PhysicalContext : PipelineContext
{
    /// <summary>The message. Borrowed from the receiver, which settles it; parts decide through <see cref="PipelineContext.Settlement"/>.</summary>
    [AllowNull]
    public ReceivedMessage Message
    {
        get => field ?? throw new InvalidOperationException("The context holds no message.");
        set;
    }

    /// <summary>Where the message was received from; null outside of a route.</summary>
    public MessageDestination? Destination { get; set; }

    /// <inheritdoc/>
    public override void Reset()
    {
        base.Reset();
        Message = null;
        Destination = null;
    }
}
