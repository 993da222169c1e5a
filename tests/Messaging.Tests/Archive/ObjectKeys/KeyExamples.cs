using System.Text.RegularExpressions;

namespace Messaging.Tests.Archive.ObjectKeys;

/// <summary>The examples of docs/reference/object-keys.md, read from the page.</summary>
internal static partial class KeyExamples
{
    /// <summary>Configuration, message and key of an example.</summary>
    public static (string Configuration, string Message, string Key) Read(string name)
    {
        string page = File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "object-keys.md"));
        Match example = Example().Matches(page).Single(match => match.Groups["name"].Value == name);
        return (example.Groups["configuration"].Value, example.Groups["message"].Value.Trim(), example.Groups["key"].Value.Trim());
    }

    [GeneratedRegex(
        "<!-- example: (?<name>[a-z]+) -->\n```json\n(?<configuration>[^`]+)```\n```json\n(?<message>[^`]+)```\n```\n(?<key>[^`]+)```",
        RegexOptions.ExplicitCapture)]
    private static partial Regex Example();
}
