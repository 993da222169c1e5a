using System.CommandLine;
using Microsoft.Extensions.DependencyInjection;

namespace Messaging.CommandLine;

/// <summary>What features add to the command line. It is one of the worker's services, because every feature can reach those.</summary>
internal sealed class CommandLineParts
{
    public string Description { get; set; } = "Receives messages from sources, passes each to the handler of its route, and acknowledges it when that has succeeded.";

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
