using System.Collections.Immutable;
using Messaging.Configuration;
using Messaging.Routes;
using Worker.Archive;
using Worker.Headers;
using Worker.ObjectKeys;

namespace Worker.CommandLine;

/// <summary>Shows which rules make the keys of each route, and which properties they can merge.</summary>
internal static class KeyRulesReport
{
    /// <summary>A paragraph per route that archives messages.</summary>
    /// <param name="settings">The configuration.</param>
    /// <param name="plan">Its routes; those with problems are not in it.</param>
    /// <param name="output">Receives the text.</param>
    public static void Write(SettingsReader settings, WorkerPlan plan, TextWriter output)
    {
        foreach (RoutePlan route in plan.Routes)
        {
            if (ArchiveHandlerFeature.ReadOptions(settings, route.Name) is { } options && KeyTemplate.TryCompile(options.Key, out KeyTemplate? template, out _))
            {
                Write(route.Name, options, template, output);
            }
        }
    }

    private static void Write(string route, ArchiveOptions options, KeyTemplate template, TextWriter output)
    {
        string missing = options.MissingProperty == MissingPropertyRule.DeadLetter ? "dead-lettered" : "\"unknown\"";
        string invalid = options.InvalidValue switch
        {
            InvalidValueRule.DeadLetter => "dead-lettered",
            InvalidValueRule.Encode => "escaped",
            _ => "\"invalid\"",
        };
        output.WriteLine($"Keys of route {route}: {options.Template}; the id is {options.MessageIdProperty}");
        output.WriteLine($"  missing properties: {missing} (MissingProperty={options.MissingProperty}); values that do not fit: {invalid} (InvalidValue={options.InvalidValue})");
        Warn(template.Sharing, "Give each property a level of its own");
        Warn(template.Merging, options.InvalidValue == InvalidValueRule.Default ? "Use the rule encode, or keep with InvalidValue=Encode or DeadLetter" : "Use the rule encode or keep");
        output.WriteLine();

        void Warn(ImmutableArray<string> paths, string advice)
        {
            if (!paths.IsEmpty)
            {
                output.WriteLine($"  warning: different values of {string.Join(", ", paths.Select(Show))} can become one level, so tenants could share a prefix. {advice} (docs/object-keys.md).");
            }
        }
    }

    private static string Show(string path) => PropertyLogText.From(System.Text.Encoding.UTF8.GetBytes(path));
}
