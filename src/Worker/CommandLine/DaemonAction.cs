using System.Net.Sockets;
using Messaging.Hosting;
using Messaging.Http.Source;
using Messaging.Http.Web;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Worker.Hosting;

namespace Worker.CommandLine;

/// <summary>The default command: runs the worker until a signal, with a demo in front where asked.</summary>
internal static partial class DaemonAction
{
    private const string UrlKey = $"Hosting:{nameof(HostingOptions.Url)}";

    public static async Task<int> RunAsync(IConfigurationRoot configuration, int? demoMessages, bool once)
    {
        if (once && !WorkerConfiguration.IsGiven(configuration, UrlKey))
        {
            // A worker that ends after its demo has no callers: it runs beside one that has the default port.
            configuration[UrlKey] = "http://127.0.0.1:0";
        }

        await using WebApplication app = WorkerHost.Build(configuration);
        WorkerService worker = app.Services.GetRequiredService<WorkerService>();
        HostingOptions hosting = app.Services.GetRequiredService<HostingOptions>();
        try
        {
            // First of all: a worker whose port is taken must not have said that it receives.
            await PortCheck.EnsureFreeAsync(hosting, app.Lifetime.ApplicationStopping);
            await app.StartAsync();
        }
        catch (IOException exception) when (exception.InnerException is Microsoft.AspNetCore.Connections.AddressInUseException)
        {
            throw PortCheck.Taken(hosting, "Another program listens there.");
        }
        catch (IOException exception) when (exception.InnerException is SocketException)
        {
            throw new StartupException($"Hosting:Url: {exception.Message} Choose an address of this machine with --Hosting:Url=http://127.0.0.1:8081 (port 0 picks a free one).");
        }
        catch (OperationCanceledException) when (worker.IsStopping)
        {
            // A signal came before anything was received: there is nothing to finish.
            return ExitCodes.Success;
        }
        catch (SocketException exception)
        {
            throw new StartupException($"Hosting:Url: {exception.Message}. Choose an address of this machine with --Hosting:Url=http://127.0.0.1:8081.");
        }

        LogListening(app.Services.GetRequiredService<ILogger<WorkerService>>(), string.Join(", ", app.Urls), TakesMessages(worker) ? "POST /messages, " : string.Empty);
        bool complete = true;
        if (demoMessages is { } count)
        {
            complete = await DemoRunner.RunAsync(app, worker, count, app.Lifetime.ApplicationStopping);
            if (once)
            {
                app.Lifetime.StopApplication();
            }
            else if (!app.Lifetime.ApplicationStopping.IsCancellationRequested)
            {
                DemoRunner.WriteNextSteps(app);
            }
        }

        await app.WaitForShutdownAsync();
        return complete && worker.DrainedCleanly ? ExitCodes.Success : ExitCodes.Incomplete;
    }

    private static bool TakesMessages(WorkerService worker) =>
        worker.Routes.Any(route => route.SourceNames.Contains(HttpMessageSource.SourceName));

    [LoggerMessage(1102, LogLevel.Information, "Listening on {Urls}: {Messages}/healthz/live, /healthz/ready")]
    private static partial void LogListening(ILogger logger, string urls, string messages);
}
