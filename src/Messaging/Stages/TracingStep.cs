using System.Diagnostics;
using Messaging.Telemetry;
using Pipeline.Behaviors;
using Pipeline.Contexts;
using Pipeline.Messages;
using Pipeline.Settlements;

namespace Messaging.Stages;

/// <summary>
/// Starts one span per attempt at a message, after OpenTelemetry's messaging conventions; it is the current span for the rest of the
/// pipeline. Costs one check without a listener.
/// </summary>
/// <param name="route">The name for spans of messages that were received outside a route.</param>
internal sealed class TracingStep(string route) : IStep<PhysicalContext>
{
    private readonly MessageDestination _route = new("worker", route);

    public ValueTask<StepOutcome> BeforeAsync(PhysicalContext context)
    {
        Start(context.Destination ?? _route, context.Message);
        return new(StepOutcome.Continue);
    }

    public ValueTask AfterAsync(PhysicalContext context)
    {
        End(context.Message.Span, context.Settlement);
        return default;
    }

    public ValueTask<ErrorOutcome> OnErrorAsync(PhysicalContext context, Exception exception)
    {
        End(context.Message.Span, exception);
        return new(ErrorOutcome.Rethrow);
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
