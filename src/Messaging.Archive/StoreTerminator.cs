using System.Runtime.CompilerServices;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Frames;

namespace Quayside.Messaging.Archive;

/// <summary>Stores the object, and completes the message only when the sink has stored it.</summary>
internal sealed class StoreTerminator(IObjectSink sink, ObjectStore store) : ITerminator<ArchiveContext>
{
    public ValueTask InvokeAsync(ArchiveContext context)
    {
        long started = RouteMetrics.StoreStarts();
        ValueTask<SinkResult> storing = context.Properties.IsEmpty
            ? sink.StoreAsync(context.Key, context.Body, context.CancellationToken)
            : sink.StoreAsync(context.Key, context.Body, context.Properties, context.CancellationToken);
        if (!storing.IsCompletedSuccessfully)
        {
            return AwaitAsync(storing, context, started);
        }

        context.Settlement = store.Settle(storing.Result, context.Key.Span, started);
        return default;
    }

    [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder))]
    private async ValueTask AwaitAsync(ValueTask<SinkResult> storing, ArchiveContext context, long started) =>
        context.Settlement = store.Settle(await storing, context.Key.Span, started);
}
