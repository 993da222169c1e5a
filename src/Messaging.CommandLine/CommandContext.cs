using System.CommandLine;
using Messaging.Configuration;
using Messaging.Hosting;
using Messaging.Planning;
using Microsoft.Extensions.Configuration;

namespace Messaging.CommandLine;

/// <summary>Gives a command the worker's configuration and plan. Threads: one at a time.</summary>
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

    /// <summary>Plans the worker for a configuration, without opening or connecting to anything.</summary>
    /// <exception cref="ConfigurationException">The configuration is invalid; lists every problem.</exception>
    public WorkerPlan Plan(IConfiguration configuration) => _definition.Plan(configuration).Checked();
}
