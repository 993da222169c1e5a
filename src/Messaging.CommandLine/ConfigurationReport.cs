using Messaging.Configuration;
using Messaging.Routes;

namespace Messaging.CommandLine;

internal static class ConfigurationReport
{
    /// <summary>Writes every problem on its own line to standard error.</summary>
    public static void WriteErrors(IReadOnlyList<ConfigurationError> errors)
    {
        Console.Error.WriteLine($"The configuration has {errors.Count} problem{(errors.Count == 1 ? string.Empty : "s")}; nothing was started:");
        foreach (ConfigurationError error in errors)
        {
            Console.Error.WriteLine($"  - {error}");
        }

        Console.Error.WriteLine("`validate --reference` lists every key with its unit and default; `validate` shows the settings in effect.");
    }

    /// <summary>Writes every warning on its own line to standard error.</summary>
    public static void WriteWarnings(IReadOnlyList<ConfigurationError> warnings)
    {
        foreach (ConfigurationError warning in warnings)
        {
            Console.Error.WriteLine($"warning: {warning}");
        }
    }

    /// <summary>Writes every route with its origin.</summary>
    public static void WriteRoutes(WorkerPlan plan)
    {
        foreach (NamedRoute route in plan.NamedRoutes)
        {
            Console.Out.WriteLine($"Route {route}");
        }

        Console.Out.WriteLine();
    }

    /// <summary>Writes every key with its value in effect, secrets masked.</summary>
    public static void WriteEffective(WorkerPlan plan)
    {
        int width = plan.Effective.Max(setting => setting.Key.Length);
        foreach (EffectiveSetting setting in plan.Effective)
        {
            Console.Out.WriteLine($"{setting.Key.PadRight(width)} = {(setting.Value.Length == 0 ? "(not set)" : setting.Value)}{(setting.IsDefault ? "  (default)" : string.Empty)}");
        }
    }

    /// <summary>Writes an error as one line to standard error.</summary>
    public static void WriteError(string message) => Console.Error.WriteLine($"error: {message}");
}
