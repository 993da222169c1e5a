using Messaging.Hosting;
using Messaging.Http.Web;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Worker.Hosting;

namespace Worker.CommandLine;

/// <summary>The default command: runs the worker until a signal, with a demo in front where asked.</summary>
internal static class DaemonAction
{
    private const string UrlKey = $"{WebOptions.Section}:{nameof(WebOptions.Url)}";

    public static async Task<int> RunAsync(IConfigurationRoot configuration, int? demoMessages, bool once)
    {
        if (once && !WorkerConfiguration.IsGiven(configuration, UrlKey))
        {
            // A worker that ends after its demo has no callers: it runs beside one that has the default port.
            configuration[UrlKey] = "http://127.0.0.1:0";
        }

        IHost host = WorkerHost.Build(configuration);
        await using IAsyncDisposable disposing = (IAsyncDisposable)host;
        WorkerService worker = host.Services.GetRequiredService<WorkerService>();
        IHostApplicationLifetime lifetime = host.Services.GetRequiredService<IHostApplicationLifetime>();
        try
        {
            await host.StartAsync();
        }
        catch (OperationCanceledException) when (worker.IsStopping)
        {
            // A signal came before anything was received: there is nothing to finish.
            return ExitCodes.Success;
        }

        bool complete = true;
        if (demoMessages is { } count)
        {
            complete = await DemoRunner.RunAsync(host, worker, count, lifetime.ApplicationStopping);
            if (once)
            {
                lifetime.StopApplication();
            }
            else if (!lifetime.ApplicationStopping.IsCancellationRequested)
            {
                DemoRunner.WriteNextSteps(host);
            }
        }

        await host.WaitForShutdownAsync();
        return complete && worker.DrainedCleanly ? ExitCodes.Success : ExitCodes.Incomplete;
    }
}
