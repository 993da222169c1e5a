using System.CommandLine;
using Quayside.Messaging.CommandLine;
using Quayside.Messaging.Configuration;

namespace Quayside.Messaging.Hosting;

/// <summary>Adds commands and options of features. They have no effect in a host without a command line.</summary>
public static class CommandLineWorkerBuilderExtensions
{
    /// <summary>Sets the description in <c>--help</c>: a sentence with a full stop. The last call wins.</summary>
    public static IMessageWorkerBuilder Describe(this IMessageWorkerBuilder builder, string description)
    {
        CommandLineParts.Of(builder.Services).Description = description;
        return builder;
    }

    /// <summary>Adds a command to those of every worker. A second command of the same name is a configuration error.</summary>
    /// <param name="builder">The worker.</param>
    /// <param name="create">
    /// Creates the command; called once per command line. Its action returns one of <see cref="ExitCodes"/>, or throws
    /// <see cref="StartupException"/> or <see cref="Configuration.ConfigurationException"/>, which are reported.
    /// </param>
    public static IMessageWorkerBuilder AddCommand(this IMessageWorkerBuilder builder, Func<CommandContext, Command> create)
    {
        CommandLineParts.Of(builder.Services).Commands.Add(create);
        return builder;
    }

    /// <summary>Adds options to the default command, and code that runs with the worker.</summary>
    internal static IMessageWorkerBuilder AddDaemonExtension(this IMessageWorkerBuilder builder, IDaemonExtension extension)
    {
        CommandLineParts.Of(builder.Services).Extensions.Add(extension);
        return builder;
    }
}
