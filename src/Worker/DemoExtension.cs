using System.CommandLine;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Quayside.Messaging.CommandLine;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Hosting;

namespace Quayside.Worker;

/// <summary><c>--demo N</c> and <c>--once</c>: the daemon first publishes generated messages to itself.</summary>
internal sealed class DemoExtension : IDaemonExtension
{
    private const string UrlKey = "Hosting:Url";

    private readonly Option<int?> _demo =
        CountOption.Create("--demo", [], "Publish this many generated messages through the channel, report, then keep running", 100_000_000);
    private readonly Option<bool> _once =
        new("--once") { Description = "With --demo: exit after the report; listens on a free port unless Hosting:Url is set" };

    public IReadOnlyList<Option> Options => [_demo, _once];

    public void Prepare(ParseResult parsed, IConfigurationRoot configuration)
    {
        if (!parsed.GetValue(_once))
        {
            return;
        }

        if (parsed.GetValue(_demo) is null)
        {
            throw new StartupException("--once requires --demo N: it ends the worker after the demo's report.", ExitCodes.Usage);
        }

        if (!WorkerConfiguration.IsConfigured(configuration, UrlKey))
        {
            // A worker that ends after its demo has no callers, and must be able to run beside one on the default port.
            configuration[UrlKey] = "http://127.0.0.1:0";
        }
    }

    public async Task<bool> RunAsync(ParseResult parsed, IHost host, CancellationToken stopping)
    {
        if (parsed.GetValue(_demo) is not { } count)
        {
            return true;
        }

        bool complete = await DemoRunner.RunAsync(host, count, stopping);
        if (parsed.GetValue(_once))
        {
            host.Services.GetRequiredService<IHostApplicationLifetime>().StopApplication();
        }
        else if (!stopping.IsCancellationRequested)
        {
            DemoRunner.WriteNextSteps(host);
        }

        return complete;
    }
}

/// <summary>Adds the demo to a worker.</summary>
internal static class DemoWorkerBuilderExtensions
{
    /// <summary>Adds <c>--demo N</c>, with <c>--once</c>: the daemon publishes generated messages to itself and reports.</summary>
    public static IMessageWorkerBuilder AddDemo(this IMessageWorkerBuilder builder) => builder.AddDaemonExtension(new DemoExtension());
}
