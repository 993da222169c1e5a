using System.CommandLine;
using Messaging.Configuration;
using Messaging.Hosting;
using Messaging.Routes;
using Microsoft.Extensions.Configuration;
using Worker.Hosting;

namespace Worker.CommandLine;

/// <summary><c>validate</c>: shows every problem and warning, where each route comes from, and the effective configuration.</summary>
internal static class ValidateCommand
{
    public static Command Create(Func<ParseResult, IConfigurationRoot> readConfiguration)
    {
        Command command = new("validate", "Check the configuration: show problems and warnings, where each route comes from, and what is in effect (secrets masked); start nothing; exit 78 when it is wrong");
        Option<bool> reference = new("--reference") { Description = "Print every key with its default, unit and range as Markdown instead" };
        command.Options.Add(reference);
        command.SetAction(parsed => parsed.GetValue(reference) ? PrintReference() : Run(readConfiguration(parsed)));
        return command;
    }

    private static int PrintReference()
    {
        Console.Out.Write(SettingsReference.ToMarkdown(WorkerHost.Features().Sections.All));
        return ExitCodes.Success;
    }

    private static int Run(IConfiguration configuration)
    {
        WorkerPlan plan = WorkerHost.Plan(configuration);
        if (plan.Errors.Count > 0)
        {
            ConfigurationReport.WriteErrors(plan.Errors);
        }

        ConfigurationReport.WriteWarnings(plan.Warnings);
        ConfigurationReport.WriteRoutes(plan);
        KeyRulesReport.Write(new SettingsReader(configuration), plan, Console.Out);
        ConfigurationReport.WriteEffective(plan);
        if (plan.Errors.Count > 0)
        {
            return ExitCodes.Configuration;
        }

        Console.Out.WriteLine();
        Console.Out.WriteLine($"The configuration is right: {plan.Routes.Count} route(s): {string.Join(", ", plan.Routes.Select(route => route.Name))}.");
        return ExitCodes.Success;
    }
}
