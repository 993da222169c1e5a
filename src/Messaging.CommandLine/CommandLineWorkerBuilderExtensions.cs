using System.CommandLine;
using Messaging.Hosting;

namespace Messaging.CommandLine;

/// <summary>Lets features bring commands and options of their own. In a host without a command line they have no effect.</summary>
public static class CommandLineWorkerBuilderExtensions
{
    /// <summary>Sets what the worker does, for <c>--help</c>: a sentence with its full stop. The last call wins.</summary>
    public static IMessageWorkerBuilder Describe(this IMessageWorkerBuilder builder, string description)
    {
        CommandLineParts.Of(builder.Services).Description = description;
        return builder;
    }

    /// <summary>Adds a command beside those of every worker. A second one of the same name is a configuration error.</summary>
    /// <param name="builder">The worker.</param>
    /// <param name="create">
    /// Makes the command; called once for each command line. Its action returns one of <see cref="ExitCodes"/>, or throws
    /// <see cref="StartupException"/> or <see cref="Configuration.ConfigurationException"/>, which are reported.
    /// </param>
    public static IMessageWorkerBuilder AddCommand(this IMessageWorkerBuilder builder, Func<CommandContext, Command> create)
    {
        CommandLineParts.Of(builder.Services).Commands.Add(create);
        return builder;
    }

    /// <summary>Adds options to the default command, and what the running worker does with them.</summary>
    public static IMessageWorkerBuilder AddDaemonExtension(this IMessageWorkerBuilder builder, IDaemonExtension extension)
    {
        CommandLineParts.Of(builder.Services).Extensions.Add(extension);
        return builder;
    }
}
