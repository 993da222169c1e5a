using System.Collections.Immutable;
using Quayside.Messaging.Archive.ObjectKeys;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Archive;

/// <summary>The part of <c>validate</c> about a route's keys: their rules, and the properties whose values the rules can merge.</summary>
internal static class KeyRulesReport
{
    /// <summary>Writes one paragraph.</summary>
    public static void Write(string route, ArchiveOptions options, KeyTemplate template, TextWriter output)
    {
        string missing = options.MissingProperty == MissingPropertyRule.DeadLetter ? "dead-lettered" : "\"unknown\"";
        string invalid = options.InvalidValue switch
        {
            InvalidValueRule.DeadLetter => "dead-lettered",
            InvalidValueRule.Encode => "escaped",
            _ => "\"invalid\"",
        };
        output.WriteLine($"Keys of route {route}: {options.Template}; the id is {options.MessageIdProperty}");
        output.WriteLine(
            $"  missing properties: {missing} (MissingProperty={options.MissingProperty}); values that do not fit: {invalid} "
                + $"(InvalidValue={options.InvalidValue})");
        Warn(template.Sharing, "Give each property a level of its own");
        Warn(template.Merging,
            options.InvalidValue == InvalidValueRule.Default
                ? "Use the rule encode, or keep with InvalidValue=Encode or DeadLetter"
                : "Use the rule encode or keep");
        output.WriteLine();

        void Warn(ImmutableArray<string> paths, string advice)
        {
            if (!paths.IsEmpty)
            {
                output.WriteLine(
                    $"  warning: different values of {string.Join(", ", paths.Select(Show))} can become one level, "
                        + $"so tenants could share a prefix. {advice} (docs/reference/object-keys.md).");
            }
        }
    }

    private static string Show(string path) => UntrustedText.Shorten(path);
}
