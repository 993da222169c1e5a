using System.Runtime.CompilerServices;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Frames;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Archive;

/// <summary>Stores the object, and completes the message only when the sink has stored it.</summary>
internal sealed class StoreTerminator(IObjectSink sink, ObjectStore store) : ITerminator<ArchiveContext>
{
    public ValueTask InvokeAsync(ArchiveContext context)
    {
        long started = RouteMetrics.StoreStarts();
        ValueTask<SinkResult> storing;
        try
        {
            storing = context.Properties.IsEmpty
                ? sink.StoreAsync(context.Key, context.Body, context.CancellationToken)
                : sink.StoreAsync(context.Key, context.Body, context.Properties, context.CancellationToken);
        }
        catch (Exception exception) when (store.TrySettle(exception, started, context.CancellationToken, out Settlement failed))
        {
            context.Settlement = failed;
            return default;
        }

        if (!storing.IsCompletedSuccessfully)
        {
            return AwaitAsync(storing, context, started);
        }

        context.Settlement = store.Settle(storing.Result, context.Key.Span, started);
        return default;
    }

    [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder))]
    private async ValueTask AwaitAsync(ValueTask<SinkResult> storing, ArchiveContext context, long started)
    {
        SinkResult result;
        try
        {
            result = await storing;
        }
        catch (Exception exception) when (store.TrySettle(exception, started, context.CancellationToken, out Settlement failed))
        {
            context.Settlement = failed;
            return;
        }

        context.Settlement = store.Settle(result, context.Key.Span, started);
    }
}
