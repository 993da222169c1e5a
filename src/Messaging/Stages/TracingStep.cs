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
        context.Message.Span = MessageSpans.IsListening ? Start(context) : null;
        return new(StepOutcome.Continue);
    }

    public ValueTask AfterAsync(PhysicalContext context)
    {
        if (context.Message.Span is { } span)
        {
            Settlement settlement = context.Settlement;
            span.SetTag("worker.settlement", settlement.Kind.ToString());
            if (RouteMetrics.ErrorTypeOf(settlement) is { } error)
            {
                MessageSpans.Fail(span, error, settlement.Reason ?? settlement.Description);
            }

            MessageSpans.End(span);
        }

        return default;
    }

    public ValueTask<ErrorOutcome> OnErrorAsync(PhysicalContext context, Exception exception)
    {
        if (context.Message.Span is { } span)
        {
            MessageSpans.Fail(span, exception);
            MessageSpans.End(span);
        }

        return new(ErrorOutcome.Rethrow);
    }

    private Activity? Start(PhysicalContext context)
    {
        Activity? span = MessageSpans.StartProcess(context.Destination ?? _route, context.Message);
        try
        {
            span?.SetTag("messaging.message.body.size", context.Message.Body.Length);
        }
        catch (Exception)
        {
            // The next part that reads the body reports the failure.
        }

        return span;
    }
}
