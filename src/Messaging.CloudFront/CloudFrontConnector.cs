using System.Runtime.CompilerServices;
using Quayside.Messaging.CloudFront.Events;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Contexts;
using Quayside.Pipeline.Frames;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.CloudFront;

/// <summary>Reads the event. It dead-letters a message that is not a valid event, and completes an event without logs, before anything is fetched.</summary>
internal sealed class CloudFrontConnector(S3EventReader reader, CloudFrontMetrics metrics, int concurrency) : IBehavior<MessageContext, CloudFrontContext>
{
    private readonly ContextPool<CloudFrontContext> _contexts = new(concurrency);

    public ValueTask InvokeAsync(MessageContext context, Next<CloudFrontContext> next)
    {
        S3Event read = reader.Read(context.Message.Body);
        if (read.Fault is not null)
        {
            context.Settlement =
                Settlement.DeadLetter(read.Fault, $"The message is not an S3 event that the worker can process. {read.Detail}".TrimEnd());
            return default;
        }

        metrics.RecordsIgnored(read.Ignored);
        if (read.Objects.Length == 0)
        {
            context.Settlement = Settlement.Complete;
            return default;
        }

        return NextAsync(context, next, read.Objects);
    }

    [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder))]
    private async ValueTask NextAsync(MessageContext context, Next<CloudFrontContext> next, LogObject[] objects)
    {
        CloudFrontContext logs = _contexts.Rent();
        try
        {
            logs.CancellationToken = context.CancellationToken;
            logs.Objects = objects;
            logs.DeliveryCount = context.Message.DeliveryCount;
            await next.InvokeAsync(logs);
            context.Settlement = logs.Settlement;
        }
        finally
        {
            _contexts.Return(logs);
        }
    }
}

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
