using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.CommandLine;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Planning;

namespace Shared.Hosting;

/// <summary>The daemon without its command line.</summary>
internal static class WorkerHost
{
    // One per caller: a definition is not thread-safe.
    private static WorkerDefinition Definition => Define(add: null);

    /// <summary>The features of the daemon.</summary>
    public static WorkerFeatures Features() => Definition.Worker.Features;

    /// <summary>Reads and checks the configuration without opening anything.</summary>
    public static WorkerPlan Plan(IConfiguration configuration) => Definition.Plan(configuration);

    /// <summary>Builds the host; nothing runs yet.</summary>
    /// <exception cref="ConfigurationException">The configuration is wrong; the exception lists every problem.</exception>
    public static IHost Build(IConfiguration configuration, Action<ILoggingBuilder>? configureLogging = null, Action<IServiceCollection>? add = null) =>
        WorkerApp.CreateHost(Define(add), configuration, configureLogging);

    private static WorkerDefinition Define(Action<IServiceCollection>? add) => new(worker =>
    {
        Quayside.Worker.Program.AddFeatures(worker);
        add?.Invoke(worker.Services);
    });
}
