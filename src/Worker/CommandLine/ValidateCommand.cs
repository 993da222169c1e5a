using System.CommandLine;
using Microsoft.Extensions.Configuration;
using Worker.Hosting;
using Worker.Routes;

namespace Worker.CommandLine;

/// <summary><c>validate</c>: shows the effective configuration, or every problem of it.</summary>
internal static class ValidateCommand
{
    public static Command Create(Func<ParseResult, IConfigurationRoot> readConfiguration)
    {
        Command command = new("validate", "Check the configuration, show what is in effect (secrets masked), start nothing; exit 78 when it is wrong");
        command.SetAction(parsed => Run(readConfiguration(parsed)));
        return command;
    }

    private static int Run(IConfiguration configuration)
    {
        WorkerPlan plan = WorkerHost.Plan(configuration);
        ConfigurationReport.WriteEffective(plan);
        if (plan.Errors.Count > 0)
        {
            ConfigurationReport.WriteErrors(plan.Errors);
            return ExitCodes.Configuration;
        }

        Console.Out.WriteLine();
        Console.Out.WriteLine($"The configuration is right: {plan.Routes.Count} route(s): {string.Join(", ", plan.Routes.Select(route => route.Name))}.");
        return ExitCodes.Success;
    }
}
