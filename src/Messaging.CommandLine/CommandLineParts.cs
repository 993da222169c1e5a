using System.CommandLine;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Planning;

namespace Quayside.Messaging.CommandLine;

/// <summary>What features add to the command line. It is one of the worker's services, because every feature can reach those.</summary>
internal sealed class CommandLineParts
{
    public string Description { get; set; } =
        "Receives messages from sources, passes each to the handler of its route, and acknowledges it when that has succeeded.";

    public List<Func<CommandContext, Command>> Commands { get; } = [];

    public List<IDaemonExtension> Extensions { get; } = [];

    /// <summary>The parts of a worker; adds them if there are none yet.</summary>
    public static CommandLineParts Of(IServiceCollection services)
    {
        if (services.LastOrDefault(service => service.ServiceType == typeof(CommandLineParts))?.ImplementationInstance is CommandLineParts parts)
        {
            return parts;
        }

        parts = new CommandLineParts();
        services.AddSingleton(parts);
        return parts;
    }
}

/// <summary>Adds options to the default command, and code that runs with the worker. Called by one thread.</summary>
internal interface IDaemonExtension
{
    /// <summary>The options that it adds.</summary>
    IReadOnlyList<Option> Options { get; }

    /// <summary>Called before anything is built. May set keys of the configuration.</summary>
    /// <exception cref="StartupException">The options contradict each other.</exception>
    void Prepare(ParseResult parsed, IConfigurationRoot configuration);

    /// <summary>Called when the worker has started. The worker then runs until a signal or <see cref="IHostApplicationLifetime.StopApplication"/>.</summary>
    /// <param name="parsed">The command line.</param>
    /// <param name="host">The running worker.</param>
    /// <param name="stopping">Cancelled when the worker begins to stop.</param>
    /// <returns>False when work is incomplete: the process then ends with <see cref="ExitCodes.Incomplete"/>.</returns>
    Task<bool> RunAsync(ParseResult parsed, IHost host, CancellationToken stopping);
}

/// <summary>Gives a command the worker's configuration. Threads: one at a time.</summary>
public sealed class CommandContext
{
    private readonly WorkerDefinition _definition;
    private readonly Func<ParseResult, IConfigurationRoot> _read;

    internal CommandContext(WorkerDefinition definition, Func<ParseResult, IConfigurationRoot> read)
    {
        _definition = definition;
        _read = read;
    }

    /// <summary>Reads the configuration of a command line: files, environment, and the keys among the arguments.</summary>
    /// <exception cref="StartupException">A file cannot be read, or an argument is neither an option nor a key.</exception>
    public IConfigurationRoot ReadConfiguration(ParseResult parsed) => _read(parsed);

    /// <summary>Checks a configuration, without opening or connecting to anything.</summary>
    /// <exception cref="ConfigurationException">The configuration is invalid; lists every problem.</exception>
    public void Check(IConfiguration configuration) => Plan(configuration);

    /// <summary>Plans the worker for a configuration, without opening or connecting to anything.</summary>
    /// <exception cref="ConfigurationException">The configuration is invalid; lists every problem.</exception>
    internal WorkerPlan Plan(IConfiguration configuration) => _definition.Plan(configuration).Checked();
}
