using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Worker.DeadLetters;
using Worker.Hosting;
using Worker.Routes;

namespace Worker.CommandLine;

/// <summary><c>--print-pipeline</c>: the composed chain of every route, as the tests approve it.</summary>
internal static class PrintPipelineAction
{
    public static int Run(IConfiguration configuration)
    {
        using WebApplication app = WorkerHost.Build(configuration);
        foreach (RoutePlan plan in app.Services.GetRequiredService<WorkerPlan>().Routes)
        {
            MessageRoute route = new(
                plan,
                app.Services,
                app.Services.GetRequiredService<IDeadLetterStore>(),
                app.Services.GetRequiredService<ILoggerFactory>(),
                TimeProvider.System);
            Console.Out.Write(route.Pipeline.Description);
        }

        return ExitCodes.Success;
    }
}
