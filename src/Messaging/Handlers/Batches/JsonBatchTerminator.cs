using Messaging.Handlers.Typed;
using Pipeline.Behaviors;
using Pipeline.Contexts;
using Pipeline.Settlements;

namespace Messaging.Handlers.Batches;

/// <summary>Reads the body and adds the message to a batch.</summary>
internal sealed class JsonBatchTerminator<TMessage>(JsonBody<TMessage> json, BatchCollector<TMessage> collector) : ITerminator<PhysicalContext>
{
    public ValueTask InvokeAsync(PhysicalContext context)
    {
        if (json.TryRead(context.Message.Body.Span, out TMessage? message, out Settlement refusal))
        {
            return collector.JoinAsync(context, message);
        }

        context.Settlement = refusal;
        return default;
    }
}
