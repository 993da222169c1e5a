using System.Diagnostics.CodeAnalysis;
using Pipeline.Messages;

namespace Pipeline.Contexts;

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
