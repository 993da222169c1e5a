using Quayside.Messaging.Configuration;
using Quayside.Messaging.Planning;

namespace Quayside.Messaging.CommandLine;

internal static class ConfigurationReport
{
    /// <summary>Writes every problem on its own line to standard error.</summary>
    public static void WriteErrors(IReadOnlyList<ConfigurationError> errors)
    {
        WriteProblems(Console.Error, [.. errors.Select(error => error.ToString())]);
        Console.Error.WriteLine("`validate --reference` lists every key with its unit and default; `validate` shows the settings in effect.");
    }

    /// <summary>Writes the number of problems, and each on its own line.</summary>
    public static void WriteProblems(TextWriter output, IReadOnlyList<string> problems)
    {
        output.WriteLine($"The configuration has {problems.Count} problem{(problems.Count == 1 ? string.Empty : "s")}; nothing was started:");
        foreach (string problem in problems)
        {
            output.WriteLine($"  - {problem}");
        }
    }

    /// <summary>Writes every warning on its own line to standard error.</summary>
    public static void WriteWarnings(IReadOnlyList<ConfigurationError> warnings)
    {
        foreach (ConfigurationError warning in warnings)
        {
            Console.Error.WriteLine($"warning: {warning}");
        }
    }

    /// <summary>Writes a line per route: its origin, and its parts unless one of them is wrong.</summary>
    public static void WriteRoutes(WorkerPlan plan)
    {
        foreach (NamedRoute route in plan.NamedRoutes)
        {
            string parts = plan.Routes.FirstOrDefault(planned => planned.Name == route.Name) is { } found
                ? $"; {found.DescribeParts()}"
                : route.IsRemoved
                ? string.Empty
                : "; has a problem";
            Console.Out.WriteLine($"Route {route}{parts}");
        }
    }

    /// <summary>Writes every key with its value in effect, secrets masked.</summary>
    public static void WriteEffective(WorkerPlan plan)
    {
        int width = plan.Effective.Max(setting => setting.Key.Length);
        foreach (EffectiveSetting setting in plan.Effective)
        {
            Console.Out.WriteLine(
                $"{setting.Key.PadRight(width)} = {(setting.Value.Length == 0 ? "(not set)" : setting.Value)}"
                    + $"{(setting.IsDefault ? "  (default)" : string.Empty)}");
        }
    }

    /// <summary>Writes an error as one line to standard error.</summary>
    public static void WriteError(string message) => Console.Error.WriteLine($"error: {message}");
}
