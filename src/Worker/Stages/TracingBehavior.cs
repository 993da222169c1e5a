using System.Diagnostics;
using System.Runtime.CompilerServices;
using Pipeline.Behaviors;
using Pipeline.Contexts;
using Pipeline.Frames;
using Pipeline.Settlements;
using Worker.Telemetry;

namespace Worker.Stages;

/// <summary>One span a message, after OpenTelemetry's messaging conventions. Costs one check while nobody listens.</summary>
internal sealed class TracingBehavior(string route) : IBehavior<PhysicalContext, PhysicalContext>
{
    private static readonly ActivitySource Source = new(RouteMetrics.SourceName);

    private readonly string _spanName = $"process {route}";

    public ValueTask InvokeAsync(PhysicalContext context, Next<PhysicalContext> next) =>
        Source.HasListeners() ? TraceAsync(context, next) : next.InvokeAsync(context);

    [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder))]
    private async ValueTask TraceAsync(PhysicalContext context, Next<PhysicalContext> next)
    {
        using Activity? activity = Source.StartActivity(_spanName, ActivityKind.Consumer);
        activity?.SetTag("messaging.operation.type", "process");
        activity?.SetTag("messaging.message.id", UntrustedText.Shorten(context.Message.SourceId.Span));
        activity?.SetTag("messaging.message.body.size", context.Message.Body.Length);
        try
        {
            await next.InvokeAsync(context);
            Settlement settlement = context.Settlement;
            activity?.SetTag("worker.settlement", settlement.Kind.ToString());
            if (settlement.Kind != SettlementKind.Complete)
            {
                activity?.SetStatus(ActivityStatusCode.Error, settlement.Reason ?? settlement.Description);
            }
        }
        catch (Exception exception)
        {
            activity?.SetTag("error.type", exception.GetType().FullName);
            activity?.SetStatus(ActivityStatusCode.Error, exception.Message);
            throw;
        }
    }
}
