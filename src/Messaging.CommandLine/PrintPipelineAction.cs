using Messaging.Hosting;
using Messaging.Routes;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Messaging.CommandLine;

/// <summary><c>--print-pipeline</c>: prints the pipeline of every route, as the tests approve it. Needs no region or credentials.</summary>
internal static class PrintPipelineAction
{
    public static int Run(WorkerDefinition definition, IConfiguration configuration)
    {
        using IHost host = WorkerApp.CreateHost(definition, configuration);
        foreach (RoutePlan plan in host.Services.GetRequiredService<WorkerPlan>().Routes)
        {
            Console.Out.Write(plan.DescribeChain(host.Services));
        }

        return ExitCodes.Success;
    }
}
