using System.CommandLine;
using Microsoft.Extensions.DependencyInjection;

namespace Messaging.CommandLine;

/// <summary>What features add to the command line. It travels among the worker's services, which every feature can reach.</summary>
internal sealed class CommandLineParts
{
    public string Description { get; set; } = "Takes messages from sources, hands each to the handler of its route, and acknowledges it afterwards.";

    public List<Func<CommandContext, Command>> Commands { get; } = [];

    public List<IDaemonExtension> Extensions { get; } = [];

    /// <summary>Those of a worker; adds them when there are none yet.</summary>
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
