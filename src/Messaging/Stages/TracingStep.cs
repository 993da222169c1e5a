using System.Diagnostics;
using Messaging.Telemetry;
using Pipeline.Behaviors;
using Pipeline.Contexts;
using Pipeline.Settlements;

namespace Messaging.Stages;

/// <summary>
/// One span a message, after OpenTelemetry's messaging conventions. Costs one check without a listener. The span is the current
/// one for everything further in; it lies in the context between the way in and the way out.
/// </summary>
internal sealed class TracingStep(string route) : IStep<PhysicalContext>
{
    private static readonly ActivitySource Source = new(RouteMetrics.SourceName);

    private readonly string _spanName = $"process {route}";

    public ValueTask<StepOutcome> BeforeAsync(PhysicalContext context)
    {
        if (Source.HasListeners())
        {
            Start(context);
        }

        return new(StepOutcome.Continue);
    }

    public ValueTask AfterAsync(PhysicalContext context)
    {
        if (context.Span is { } span)
        {
            Settlement settlement = context.Settlement;
            span.SetTag("worker.settlement", settlement.Kind.ToString());
            if (settlement.Kind != SettlementKind.Complete)
            {
                span.SetStatus(ActivityStatusCode.Error, settlement.Reason ?? settlement.Description);
                if (settlement.Fault != SettlementFault.None)
                {
                    span.SetTag("error.type", settlement.Fault == SettlementFault.Transient ? "transient" : "refused");
                }
            }

            span.Dispose();
        }

        return default;
    }

    public ValueTask<ErrorOutcome> OnErrorAsync(PhysicalContext context, Exception exception)
    {
        if (context.Span is { } span)
        {
            span.SetTag("error.type", exception.GetType().FullName);
            span.SetStatus(ActivityStatusCode.Error, exception.Message);
            span.Dispose();
        }

        return new(ErrorOutcome.Rethrow);
    }

    private void Start(PhysicalContext context)
    {
        Activity? span = Source.StartActivity(_spanName, ActivityKind.Consumer);
        context.Span = span;
        span?.SetTag("messaging.operation.type", "process");
        span?.SetTag("messaging.message.id", UntrustedText.Shorten(context.Message.SourceId.Span));

        // Last: a body that cannot be read throws, and the span must be known by then.
        span?.SetTag("messaging.message.body.size", context.Message.Body.Length);
    }
}
