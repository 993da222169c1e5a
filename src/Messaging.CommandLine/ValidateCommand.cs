using System.CommandLine;
using Messaging.Configuration;
using Messaging.Hosting;
using Messaging.Routes;

namespace Messaging.CommandLine;

/// <summary><c>validate</c>: shows every problem and warning, the origin of each route, and the effective configuration.</summary>
internal static class ValidateCommand
{
    public static Command Create(CommandContext context, WorkerDefinition definition)
    {
        Command command = new("validate", "Check the configuration: show problems, warnings, the origin of each route, and the settings in effect (secrets masked); start nothing; exit 78 when it is invalid");
        Option<bool> reference = new("--reference") { Description = "Print every key with its default, unit and range as Markdown instead" };
        command.Options.Add(reference);
        command.SetAction(parsed => parsed.GetValue(reference) ? PrintReference(definition) : Run(definition.Plan(context.ReadConfiguration(parsed))));
        return command;
    }

    private static int PrintReference(WorkerDefinition definition)
    {
        Console.Out.Write(SettingsReference.ToMarkdown(definition.Sections));
        return ExitCodes.Success;
    }

    private static int Run(WorkerPlan plan)
    {
        if (plan.Errors.Count > 0)
        {
            ConfigurationReport.WriteErrors(plan.Errors);
        }

        ConfigurationReport.WriteWarnings(plan.Warnings);
        ConfigurationReport.WriteRoutes(plan);
        foreach (RoutePlan route in plan.Routes)
        {
            route.Handler.Describe?.Invoke(Console.Out);
        }

        ConfigurationReport.WriteEffective(plan);
        if (plan.Errors.Count > 0)
        {
            return ExitCodes.Configuration;
        }

        Console.Out.WriteLine();
        Console.Out.WriteLine($"The configuration is valid: {plan.Routes.Count} route(s): {string.Join(", ", plan.Routes.Select(route => route.Name))}.");
        return ExitCodes.Success;
    }
}
