using Messaging.Handlers;
using Messaging.Stages;
using Pipeline.Building;
using Pipeline.Contexts;
using Pipeline.Execution;

namespace Messaging.Planning;

/// <summary>Composes the pipeline of a route. Opens nothing and needs neither region nor credentials.</summary>
internal static class RouteChain
{
    /// <param name="plan">The route.</param>
    /// <param name="services">The services for the handler's parts; collects their checks at start.</param>
    public static IPipeline<PhysicalContext> Compose(RoutePlan plan, HandlerServices services)
    {
        PipelineBuilder<PhysicalContext> builder = Begin(plan);
        if (services.Sink is { } sink)
        {
            builder.Service(sink, $"the sink {plan.Sink!.Name}");
        }

        foreach (RoutePart part in plan.Parts)
        {
            part.Compose(builder, services);
        }

        FeatureFactory.Compose(plan.Handler, builder, services);
        return builder.Build(plan.Form);
    }

    /// <summary>The worker's own parts, which precede all others.</summary>
    public static PipelineBuilder<PhysicalContext> Begin(RoutePlan plan) => new PipelineBuilder<PhysicalContext>(plan.Name).Step(new TracingStep(plan.Name));
}
