using System.CommandLine;
using System.CommandLine.Help;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Options;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.DeadLetters.Redrive;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Planning;
using Quayside.Messaging.Publishing;
using Quayside.Pipeline.Building;

namespace Quayside.Messaging.CommandLine;

/// <summary>
/// The command line: the daemon by default, and the other commands. Every configuration key can be given as <c>--Section:Key=value</c> after any command.
/// </summary>
internal sealed class WorkerCommandLine
{
    private readonly Option<string?> _config = new("--config", "-c")
    {
        Description = "A JSON file whose keys override the appsettings.json beside the program",
        Recursive = true,
        HelpName = "file",
    };

    private readonly Option<bool> _print = new("--print-pipeline") { Description = "Print the pipeline of every route and exit" };

    private readonly WorkerDefinition _definition;
    private readonly CommandLineParts _parts;
    private readonly CommandContext _context;

    public WorkerCommandLine(Action<IMessageWorkerBuilder> configure)
    {
        _definition = Define(configure);
        _parts = CommandLineParts.Of(_definition.Services);
        _context = new CommandContext(_definition, ReadConfiguration);
    }

    /// <summary>Runs one command.</summary>
    /// <returns>The process's exit code, see <see cref="ExitCodes"/>.</returns>
    public static async Task<int> RunAsync(string[] args, Action<IMessageWorkerBuilder> configure)
    {
        try
        {
            return await new WorkerCommandLine(configure).InvokeAsync(args);
        }
        catch (ConfigurationException exception)
        {
            ConfigurationReport.WriteErrors(exception.Errors);
            return ExitCodes.Configuration;
        }
        catch (OptionsValidationException exception)
        {
            ConfigurationReport.WriteProblems(Console.Error, [.. exception.Failures]);
            return ExitCodes.Configuration;
        }
        catch (Exception exception)
        {
            // Without the last the runtime would abort and leave a core dump.
            (string error, int code) = exception switch
            {
                StartupException startup => (startup.Message, startup.ExitCode),
                PipelineDefinitionException => (exception.Message, ExitCodes.Configuration),
                OperationCanceledException => ("interrupted.", ExitCodes.Incomplete),
                _ => ($"a defect in the worker: {exception}", ExitCodes.Software),
            };
            ConfigurationReport.WriteError(error);
            return code;
        }
    }

    /// <summary>Adds the program's features. An exception of the program's own code is not reported as a defect of the worker.</summary>
    private static WorkerDefinition Define(Action<IMessageWorkerBuilder> configure)
    {
        try
        {
            return new WorkerDefinition(configure);
        }
        catch (Exception exception) when (exception is not (ConfigurationException or StartupException or PipelineDefinitionException))
        {
            throw new StartupException($"the program could not add its features: {exception}", ExitCodes.Software, exception);
        }
    }

    private async Task<int> InvokeAsync(string[] args)
    {
        RootCommand root = Build();
        ParseResult parsed = root.Parse(args);
        Command command = parsed.CommandResult.Command;
        if (parsed.Errors.Count > 0)
        {
            if (command != root && command.Subcommands.Count > 0)
            {
                // Names the word that is no subcommand.
                ReadKeys(parsed);
            }

            foreach (string message in parsed.Errors.Select(error => error.Message).Distinct(StringComparer.Ordinal))
            {
                ConfigurationReport.WriteError(message);
            }

            Console.Error.WriteLine(command == root ? "See --help." : $"See {command.Name} --help.");
            return ExitCodes.Usage;
        }

        if (parsed.Action == command.Action)
        {
            // Also for a command that reads no settings.
            ReadKeys(parsed);
        }

        // The host handles the signals of the daemon and drains. The other commands stop their work, report it and exit.
        bool isDaemon = parsed.Action == root.Action && !parsed.GetValue(_print);
        if (!isDaemon && EndsImmediately())
        {
            ConfigurationReport.WriteError("interrupted.");
            return ExitCodes.Incomplete;
        }

        int code = await parsed.InvokeAsync(
            new InvocationConfiguration { ProcessTerminationTimeout = isDaemon ? null : TimeSpan.FromSeconds(10), EnableDefaultExceptionHandler = false });
        if (isDaemon || TolerantWriter.Failure is not { } failure)
        {
            return code;
        }

        ConfigurationReport.WriteError($"the output is incomplete, because it could not be written: {failure}");
        return code == ExitCodes.Success ? ExitCodes.Incomplete : code;
    }

    /// <summary>Leaves the signals to System.CommandLine; a signal that arrived before ends the command.</summary>
    private static bool EndsImmediately()
    {
        bool received = ShutdownSignals.Process.IsReceived;
        ShutdownSignals.Process.Dispose();
        return received;
    }

    internal RootCommand Build()
    {
        RootCommand root = new(_parts.Description) { _config };
        foreach (HelpOption help in root.Options.OfType<HelpOption>())
        {
            help.Action = new SettingsHelp(
                (HelpAction)help.Action!, [.. _definition.Sections.Select(section => section.Name).Distinct(StringComparer.OrdinalIgnoreCase)]);
        }

        foreach (Option option in _parts.Extensions.SelectMany(extension => extension.Options))
        {
            root.Add(option);
        }

        root.Add(_print);
        Add(root, ValidateCommand.Create(_context, _definition));
        Add(root, ExplainCommand.Create(_context));
        Add(root, HealthCommand.Create(_context));
        foreach (Func<CommandContext, Command> create in _parts.Commands)
        {
            Add(root, create(_context));
        }

        IHandlerFeature[] keyed = [.. _definition.Handlers.Where(static handler => handler is IKeyExplainer)];
        if (keyed.Length > 0)
        {
            Add(root, ExplainKeyCommand.Create(_context, keyed));
        }

        SenderCatalog senders = _definition.GetSenders();
        if (senders.Names.Count > 0)
        {
            Add(root, PublishCommand.Create(_context, senders, _definition.Handlers));
        }

        RedriveCatalog stores = _definition.GetRedrives();
        if (stores.Names.Count > 0)
        {
            Add(root, RedriveCommand.Create(_context, stores));
        }

        AllowKeys(root);
        root.SetAction((parsed, _) =>
        {
            IConfigurationRoot configuration = ReadConfiguration(parsed);
            return parsed.GetValue(_print)
                ? Task.FromResult(PrintPipelineAction.Run(_definition, configuration))
                : DaemonAction.RunAsync(_definition, configuration, parsed, _parts.Extensions);
        });
        return root;
    }

    private static void Add(RootCommand root, Command command)
    {
        if (root.Subcommands.Any(other => string.Equals(other.Name, command.Name, StringComparison.Ordinal)))
        {
            throw new StartupException($"Two features add the command '{command.Name}': remove one of them, or rename one command.", ExitCodes.Configuration);
        }

        root.Add(command);
    }

    private static void AllowKeys(Command command)
    {
        command.TreatUnmatchedTokensAsErrors = false;
        foreach (Command sub in command.Subcommands)
        {
            AllowKeys(sub);
        }
    }

    private List<string> ReadKeys(ParseResult parsed) =>
        WorkerConfiguration.TrySplitKeys(parsed.UnmatchedTokens, out List<string> keys, out string? unknown)
            ? keys
            : throw new StartupException(UnknownArgument.Describe(unknown, parsed.CommandResult.Command, _config, _definition.Sections), ExitCodes.Usage);

    private IConfigurationRoot ReadConfiguration(ParseResult parsed)
    {
        List<string> keys = ReadKeys(parsed);
        string? file = parsed.GetValue(_config);
        try
        {
            return WorkerConfiguration.Build(file, keys);
        }
        catch (InvalidDataException exception)
        {
            throw new StartupException($"{exception.Message} {WorkerConfiguration.ReasonOf(exception)}", ExitCodes.Configuration);
        }
        catch (Exception exception) when (exception is ArgumentException or IOException or UnauthorizedAccessException)
        {
            string problem = exception is not (ArgumentException or FileNotFoundException or DirectoryNotFoundException) ? exception.Message
                : Directory.Exists(file) ? "is a folder, not a file." : "the file does not exist.";
            throw new StartupException($"--config {(string.IsNullOrEmpty(file) ? "\"\"" : file)}: {problem}", ExitCodes.Configuration);
        }
    }
}
