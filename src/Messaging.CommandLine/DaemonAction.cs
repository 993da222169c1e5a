using System.CommandLine;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Planning;

namespace Quayside.Messaging.CommandLine;

/// <summary>The default command: runs the worker until a signal.</summary>
internal static class DaemonAction
{
    public static async Task<int> RunAsync(
        WorkerDefinition definition, IConfigurationRoot configuration, ParseResult parsed, IReadOnlyList<IDaemonExtension> extensions)
    {
        foreach (IDaemonExtension extension in extensions)
        {
            extension.Prepare(parsed, configuration);
        }

        IHost host = WorkerApp.CreateHost(definition, configuration);
        await using IAsyncDisposable disposing = (IAsyncDisposable)host;
        CancellationToken stopping = host.Services.GetRequiredService<IHostApplicationLifetime>().ApplicationStopping;
        try
        {
            await host.StartAsync();
        }
        catch (OperationCanceledException) when (stopping.IsCancellationRequested)
        {
            // A signal arrived before any message was received: there is nothing to drain.
            return ExitCodes.Success;
        }

        bool complete = true;
        foreach (IDaemonExtension extension in extensions)
        {
            complete &= await extension.RunAsync(parsed, host, stopping);
        }

        await host.WaitForShutdownAsync();
        return complete && host.Services.GetRequiredService<IMessageWorker>().DrainedCleanly ? ExitCodes.Success : ExitCodes.Incomplete;
    }
}

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
