using Messaging.CloudFront.Events;
using Pipeline.Contexts;

namespace Messaging.CloudFront;

/// <summary>The logical stage's context: the objects that an event names, and how many are finished.</summary>
internal sealed class CloudFrontContext : PipelineContext
{
    /// <summary>The objects, in the event's order.</summary>
    public LogObject[] Objects { get; set; } = [];

    /// <summary>The number of this delivery of the message, from 1.</summary>
    public int DeliveryCount { get; set; }

    /// <summary>Number of finished objects; a retry continues after them.</summary>
    public int Done { get; set; }

    /// <summary>The reason code of the first object that can never be indexed; null when there is none.</summary>
    public string? PoisonReason { get; set; }

    /// <summary>For people: more about that object's fault.</summary>
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
