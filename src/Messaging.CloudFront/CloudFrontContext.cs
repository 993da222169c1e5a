using Messaging.CloudFront.Events;
using Pipeline.Contexts;

namespace Messaging.CloudFront;

/// <summary>The logical stage's context: the objects an event tells of, and how far they are worked off.</summary>
internal sealed class CloudFrontContext : PipelineContext
{
    /// <summary>The objects, in the event's order.</summary>
    public LogObject[] Objects { get; set; } = [];

    /// <summary>How often the message was delivered, this time included.</summary>
    public int DeliveryCount { get; set; }

    /// <summary>Objects that are accounted for; an attempt that is repeated goes on behind them.</summary>
    public int Done { get; set; }

    /// <summary>What is wrong with the first object that can never be indexed: its reason code; null when there is none.</summary>
    public string? PoisonReason { get; set; }

    /// <summary>For people: more about it.</summary>
    public string? PoisonDescription { get; set; }

    /// <inheritdoc/>
    public override void Reset()
    {
        base.Reset();
        Objects = [];
        DeliveryCount = 0;
        Done = 0;
        PoisonReason = null;
        PoisonDescription = null;
    }
}
