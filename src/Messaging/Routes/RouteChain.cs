using Messaging.Handlers;
using Messaging.Hosting;
using Messaging.Stages;
using Pipeline.Building;
using Pipeline.Contexts;
using Pipeline.Execution;

namespace Messaging.Routes;

/// <summary>Composes the behaviour chain of a route. Opens nothing and asks for neither region nor credentials.</summary>
internal static class RouteChain
{
    /// <param name="plan">The route.</param>
    /// <param name="services">What the handler's parts may use; takes the checks they need at start.</param>
    public static IPipeline<PhysicalContext> Compose(RoutePlan plan, HandlerServices services)
    {
        PipelineBuilder<PhysicalContext> builder = new PipelineBuilder<PhysicalContext>(plan.Name)
            .Step(new TracingStep(plan.Name))
            .Step(new SizeLimitStep(plan.Stages));
        foreach (RoutePart part in plan.Parts)
        {
            part.Compose(builder, services);
        }

        plan.Handler.Compose(builder, services);
        return builder.Build(plan.Form);
    }
}
