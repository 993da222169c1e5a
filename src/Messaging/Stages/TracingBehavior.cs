using System.Diagnostics;
using System.Runtime.CompilerServices;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Contexts;
using Quayside.Pipeline.Frames;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Stages;

/// <summary>
/// Starts one span per attempt at a message, after OpenTelemetry's messaging conventions; it is the current span for the rest of the
/// pipeline. Costs one check without a listener, and does not wait for the rest then.
/// </summary>
/// <param name="route">The name for spans of messages that were received outside a route.</param>
internal sealed class TracingBehavior(string route) : IBehavior<MessageContext, MessageContext>
{
    private readonly MessageDestination _route = new("worker", route);

    public ValueTask InvokeAsync(MessageContext context, Next<MessageContext> next)
    {
        Start(context.Destination ?? _route, context.Message);
        return context.Message.Span is null ? next.InvokeAsync(context) : TraceAsync(context, next);
    }

    /// <summary>Records an attempt that ends before the pipeline, by a settlement or an exception.</summary>
    public static void Record(MessageDestination destination, ReceivedMessage message, in Settlement settlement, Exception? exception)
    {
        Start(destination, message);
        if (exception is null)
        {
            End(message.Span, settlement);
        }
        else
        {
            End(message.Span, exception);
        }
    }

    [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder))]
    private static async ValueTask TraceAsync(MessageContext context, Next<MessageContext> next)
    {
        try
        {
            await next.InvokeAsync(context);
        }
        catch (Exception exception)
        {
            End(context.Message.Span, exception);
            throw;
        }

        End(context.Message.Span, context.Settlement);
    }

    private static void Start(MessageDestination destination, ReceivedMessage message)
    {
        message.Span = MessageSpans.IsListening ? MessageSpans.StartProcess(destination, message) : null;
        try
        {
            message.Span?.SetTag("messaging.message.body.size", message.Body.Length);
        }
        catch (Exception)
        {
            // The next part that reads the body reports the failure.
        }
    }

    private static void End(Activity? span, in Settlement settlement)
    {
        if (span is null)
        {
            return;
        }

        span.SetTag("worker.settlement", settlement.Kind.ToString());
        if (RouteMetrics.ErrorTypeOf(settlement) is { } error)
        {
            MessageSpans.Fail(span, error, settlement.Reason ?? settlement.Description);
        }

        MessageSpans.End(span);
    }

    private static void End(Activity? span, Exception exception)
    {
        if (span is not null)
        {
            MessageSpans.Fail(span, exception);
            MessageSpans.End(span);
        }
    }
}
