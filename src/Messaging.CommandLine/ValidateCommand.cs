using System.CommandLine;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Hosting;
using Quayside.Messaging.CommandLine.Telemetry;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Planning;

namespace Quayside.Messaging.CommandLine;

/// <summary><c>validate</c>: shows every problem of settings and services, warnings, the origin of each route, and the effective configuration.</summary>
internal static class ValidateCommand
{
    public static Command Create(CommandContext context, WorkerDefinition definition)
    {
        Command command = new(
            "validate",
            "Check the settings, and the services of handlers, steps, sources and sinks, which it builds. "
                + "Starts and connects nothing. Shows problems, warnings, "
            + "the origin of each route, and the settings in effect (secrets masked). Exit code 78 when there is a problem");
        Option<bool> brief = new("--brief") { Description = "Print the verdict, the problems and one line per route, without the settings" };
        Option<bool> reference = new("--reference") { Description = "Print every key with its default, unit and range as Markdown instead" };
        command.Options.Add(brief);
        command.Options.Add(reference);
        command.Validators.Add(result =>
        {
            if (result.GetValue(brief) && result.GetValue(reference))
            {
                result.AddError("--brief and --reference exclude each other.");
            }
        });
        command.SetAction(
            parsed => parsed.GetValue(reference)
                ? Task.FromResult(PrintReference(definition))
                : RunAsync(definition, context.ReadConfiguration(parsed), parsed.GetValue(brief)));
        return command;
    }

    private static int PrintReference(WorkerDefinition definition)
    {
        Console.Out.Write(SettingsReference.ToMarkdown(definition.Sections));
        return ExitCodes.Success;
    }

    private static async Task<int> RunAsync(WorkerDefinition definition, IConfiguration configuration, bool brief)
    {
        WorkerPlan plan = definition.Plan(configuration);
        (IReadOnlyList<string> problems, IReadOnlyList<string> left) = await CheckAsync(definition, configuration, plan);
        WriteVerdict(Console.Error);
        ConfigurationReport.WriteWarnings([.. plan.Warnings, .. OtlpVariables.FindProblems()]);
        ConfigurationReport.WriteRoutes(plan);
        if (!brief)
        {
            Console.Out.WriteLine();
            foreach (RoutePlan route in plan.Routes)
            {
                route.Describe(Console.Out);
            }

            ConfigurationReport.WriteEffective(plan);

            // Again: the beginning may have left the screen.
            Console.Out.WriteLine();
            WriteVerdict(Console.Out);
        }

        return problems.Count > 0 ? ExitCodes.Configuration : ExitCodes.Success;

        void WriteVerdict(TextWriter errors)
        {
            if (problems.Count > 0)
            {
                ConfigurationReport.WriteProblems(errors, problems);
            }
            else
            {
                WriteValid(plan, left);
            }
        }
    }

    private static async Task<(IReadOnlyList<string> Problems, IReadOnlyList<string> LeftToStart)> CheckAsync(
        WorkerDefinition definition, IConfiguration configuration, WorkerPlan plan)
    {
        if (plan.Errors.Count > 0)
        {
            // Nothing can be built from wrong settings.
            return ([.. plan.Errors.Select(error => error.ToString())], []);
        }

        try
        {
            IHost host = WorkerApp.CreateHost(definition, configuration);
            await using IAsyncDisposable disposing = (IAsyncDisposable)host;
            return await ContainerCheck.RunAsync(host.Services);
        }
        catch (ConfigurationException exception)
        {
            return ([.. exception.Errors.Select(error => error.ToString())], []);
        }
        catch (Exception exception)
        {
            return ([ServiceErrors.Describe(exception)], []);
        }
    }

    private static void WriteValid(WorkerPlan plan, IReadOnlyList<string> left)
    {
        string routes =
            $"{plan.Routes.Count} route{(plan.Routes.Count == 1 ? string.Empty : "s")} ({string.Join(", ", plan.Routes.Select(route => route.Name))})";
        Console.Out.WriteLine(
            $"The configuration is valid: {routes}. Handlers, steps, sources and sinks were built as at a start, and nothing was started or connected.");
        if (left.Count > 0)
        {
            Console.Out.WriteLine($"Not built, since a start asks the machine that it runs on: {string.Join("; ", left)}.");
        }
    }
}
