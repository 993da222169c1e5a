using System.CommandLine;
using Messaging.CommandLine;
using Messaging.Hosting;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Worker.CommandLine;

/// <summary><c>--demo N</c> and <c>--once</c>: the daemon with generated messages in front.</summary>
internal sealed class DemoExtension : IDaemonExtension
{
    private const string UrlKey = "Hosting:Url";

    private readonly Option<int?> _demo = CountOption.Create("--demo", [], "Publish this many generated messages through the channel first, then report and stay up", 100_000_000);
    private readonly Option<bool> _once = new("--once") { Description = "With --demo: exit after the report; on a free port unless Hosting:Url is given" };

    public IReadOnlyList<Option> Options => [_demo, _once];

    public void Prepare(ParseResult parsed, IConfigurationRoot configuration)
    {
        if (!parsed.GetValue(_once))
        {
            return;
        }

        if (parsed.GetValue(_demo) is null)
        {
            throw new StartupException("--once goes with --demo N: it says what to do after the demo's report.", ExitCodes.Usage);
        }

        if (!WorkerConfiguration.IsGiven(configuration, UrlKey))
        {
            // A worker that ends after its demo has no callers: it runs beside one that has the default port.
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
