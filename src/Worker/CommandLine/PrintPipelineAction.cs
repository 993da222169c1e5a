using Messaging.Costs;
using Messaging.DeadLetters;
using Messaging.Handlers;
using Messaging.Hosting;
using Messaging.Recoverability;
using Messaging.Routes;
using Messaging.Telemetry;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Pipeline.Contexts;
using Pipeline.Execution;
using Worker.Hosting;

namespace Worker.CommandLine;

/// <summary><c>--print-pipeline</c>: the composed chain of every route, as the tests approve it. Needs what the configuration needs, and no region or credentials.</summary>
internal static class PrintPipelineAction
{
    public static int Run(IConfiguration configuration)
    {
        using IHost host = WorkerHost.Build(configuration);
        foreach (RoutePlan plan in host.Services.GetRequiredService<WorkerPlan>().Routes)
        {
            Console.Out.Write(Compose(plan, host.Services).Description);
        }

        return ExitCodes.Success;
    }

    /// <summary>The chain of a route over a sink that stores nothing.</summary>
    internal static IPipeline<PhysicalContext> Compose(RoutePlan plan, IServiceProvider services)
    {
        ILoggerFactory loggers = services.GetRequiredService<ILoggerFactory>();
        CircuitBreaker breaker = new(plan.Name, plan.Recoverability, TimeProvider.System, loggers.CreateLogger<CircuitBreaker>());
        return RouteChain.Compose(plan, new HandlerServices(
            plan.Name,
            plan.Sink is null ? null : new PrintedSink(),
            breaker,
            plan.Recoverability,
            new RouteMetrics(plan.Name),
            new ApiCalls(),
            services,
            services.GetRequiredService<IDeadLetterStore>(),
            loggers,
            TimeProvider.System,
            plan.Slots));
    }
}
