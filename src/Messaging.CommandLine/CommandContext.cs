using System.CommandLine;
using Messaging.Configuration;
using Messaging.Hosting;
using Messaging.Routes;
using Microsoft.Extensions.Configuration;

namespace Messaging.CommandLine;

/// <summary>What a command may use of the worker. Threads: one at a time.</summary>
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

    /// <summary>Plans the worker under a configuration; opens and connects to nothing.</summary>
    /// <exception cref="ConfigurationException">The configuration is wrong; carries every problem.</exception>
    public WorkerPlan Plan(IConfiguration configuration) => _definition.Plan(configuration).Checked();
}
