using System.CommandLine;
using Messaging.Configuration;
using Messaging.DeadLetters.Redrive;
using Messaging.Hosting;
using Messaging.Publishing;
using Microsoft.Extensions.Configuration;
using Pipeline.Building;
using Worker.Hosting;

namespace Worker.CommandLine;

/// <summary>
/// The command line: the daemon by default, and the commands around it. Every configuration key can be given as
/// <c>--Section:Key=value</c> behind any command.
/// </summary>
internal static class WorkerCommandLine
{
    private static readonly Option<string?> ConfigOption = new("--config", "-c")
    {
        Description = "A JSON file whose keys win over the appsettings.json beside the program",
        Recursive = true,
        HelpName = "file",
    };

    /// <summary>Runs one command.</summary>
    /// <returns>The process's exit code, see <see cref="ExitCodes"/>.</returns>
    public static async Task<int> RunAsync(string[] args)
    {
        try
        {
            return await InvokeAsync(args);
        }
        catch (ConfigurationException exception)
        {
            ConfigurationReport.WriteErrors(exception.Errors);
            return ExitCodes.Configuration;
        }
        catch (StartupException exception)
        {
            ConfigurationReport.WriteError(exception.Message);
            return exception.ExitCode;
        }
        catch (PipelineDefinitionException exception)
        {
            ConfigurationReport.WriteError(exception.Message);
            return ExitCodes.Configuration;
        }
        catch (OperationCanceledException)
        {
            ConfigurationReport.WriteError("interrupted.");
            return ExitCodes.Incomplete;
        }
        catch (Exception exception)
        {
            // Without this the runtime would abort and leave a core dump.
            ConfigurationReport.WriteError($"a defect in the worker: {exception}");
            return ExitCodes.Software;
        }
    }

    private static async Task<int> InvokeAsync(string[] args)
    {
        RootCommand root = Build(args);
        ParseResult parsed = root.Parse(args);
        if (parsed.Errors.Count > 0)
        {
            foreach (string message in parsed.Errors.Select(error => error.Message).Distinct(StringComparer.Ordinal))
            {
                ConfigurationReport.WriteError(message);
            }

            Console.Error.WriteLine("See --help.");
            return ExitCodes.Usage;
        }

        // Signals of the daemon belong to the host, which drains; the other commands end what they do, report it and exit.
        bool isDaemon = parsed.CommandResult.Command == root;
        if (!isDaemon && EndsAtOnce())
        {
            ConfigurationReport.WriteError("interrupted.");
            return ExitCodes.Incomplete;
        }

        return await parsed.InvokeAsync(new InvocationConfiguration { ProcessTerminationTimeout = isDaemon ? null : TimeSpan.FromSeconds(10), EnableDefaultExceptionHandler = false });
    }

    /// <summary>Leaves the signals to the command line; one that came before it could take them ends the command.</summary>
    private static bool EndsAtOnce()
    {
        bool received = ShutdownSignals.Process.IsReceived;
        ShutdownSignals.Process.Dispose();
        return received;
    }

    private static RootCommand Build(string[] args)
    {
        // Only two commands need to know the sources before their arguments are read, and to make them costs some 50 ms.
        WorkerFeatures features = args.Any(arg => arg is PublishCommand.Name or RedriveCommand.Name) ? WorkerHost.Features() : new WorkerFeatures();
        Option<int?> demo = CountOption.Create("--demo", [], "Publish this many generated messages through the channel first, then report and stay up", 100_000_000);
        Option<bool> once = new("--once") { Description = "With --demo: exit after the report; on a free port unless Hosting:Url is given" };
        Option<bool> print = new("--print-pipeline") { Description = "Print the composed behaviour chain of every route and exit" };
        RootCommand root = new("Takes messages from a channel, HTTP, SQS, Service Bus, UDP or lines over TCP, stores each under a key derived from its JSON (or indexes the CloudFront logs it names into Elasticsearch), and only then acknowledges it.\nEvery configuration key can be given as --Section:Key=value (see README, Configuration).")
        {
            ConfigOption,
            demo,
            once,
            print,
            ValidateCommand.Create(ReadConfiguration),
            ExplainCommand.Create(ReadConfiguration),
            ExplainKeyCommand.Create(ReadConfiguration),
            PublishCommand.Create(ReadConfiguration, new SenderCatalog(features)),
            RedriveCommand.Create(ReadConfiguration, new RedriveCatalog(features)),
        };
        AllowKeys(root);
        root.SetAction((parsed, _) =>
        {
            IConfigurationRoot configuration = ReadConfiguration(parsed);
            if (parsed.GetValue(print))
            {
                return Task.FromResult(PrintPipelineAction.Run(configuration));
            }

            if (parsed.GetValue(once) && parsed.GetValue(demo) is null)
            {
                throw new StartupException("--once goes with --demo N: it says what to do after the demo's report.", ExitCodes.Usage);
            }

            return DaemonAction.RunAsync(configuration, parsed.GetValue(demo), parsed.GetValue(once));
        });
        return root;
    }

    private static void AllowKeys(Command command)
    {
        command.TreatUnmatchedTokensAsErrors = false;
        foreach (Command sub in command.Subcommands)
        {
            AllowKeys(sub);
        }
    }

    private static IConfigurationRoot ReadConfiguration(ParseResult parsed)
    {
        if (!WorkerConfiguration.TrySplitKeys(parsed.UnmatchedTokens, out List<string> keys, out string? unknown))
        {
            throw new StartupException($"'{unknown}' is neither a command, an option (see --help) nor a configuration key such as --Sinks:S3:Bucket=name.", ExitCodes.Usage);
        }

        string? file = parsed.GetValue(ConfigOption);
        try
        {
            return WorkerConfiguration.Build(file, keys);
        }
        catch (FileNotFoundException)
        {
            throw new StartupException($"--config {file}: there is no such file.", ExitCodes.Configuration);
        }
        catch (InvalidDataException exception)
        {
            // The innermost exception knows line and position.
            throw new StartupException($"{exception.Message} {exception.GetBaseException().Message}", ExitCodes.Configuration);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw new StartupException($"--config {file}: {exception.Message}", ExitCodes.Configuration);
        }
    }
}
