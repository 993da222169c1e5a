using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.CommandLine;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Planning;
using Worker;

namespace Shared.Hosting;

/// <summary>The daemon without its command line.</summary>
internal static class WorkerHost
{
    // One per caller: a definition is not thread-safe.
    private static WorkerDefinition Definition => new(Quayside.Worker.Program.AddFeatures);

    /// <summary>The features of the daemon.</summary>
    public static WorkerFeatures Features() => Definition.Worker.Features;

    /// <summary>Reads and checks the configuration without opening anything.</summary>
    public static WorkerPlan Plan(IConfiguration configuration) => Definition.Plan(configuration);

    /// <summary>Builds the host; nothing runs yet.</summary>
    /// <exception cref="ConfigurationException">The configuration is wrong; the exception lists every problem.</exception>
    public static IHost Build(IConfiguration configuration, Action<ILoggingBuilder>? configureLogging = null) => WorkerApp.CreateHost(Definition, configuration, configureLogging);
}
