using System.Globalization;
using System.Text;
using System.Text.RegularExpressions;
using Benchmarks.Keys;

namespace Lab.Keys;

/// <summary>
/// Frozen: the key as it was first written, a string for every step. It follows the published idea (validated parts, blanks replaced, the
/// date formatted, everything joined and lowered); the id is used unchanged. Do not improve it.
/// </summary>
internal static partial class OriginalKey
{
    public static string Of(KeyMessage message)
    {
        StringBuilder key = new();
        key.Append(Part(message.Product)).Append('/');
        key.Append(Part(message.SiteKey)).Append('/');
        key.Append(Part(message.EventName)).Append('/');
        if (message.EventDateUtc is { } date)
        {
            key.Append(date.ToString("yyyy/MM/dd/HH", CultureInfo.InvariantCulture)).Append('/');
        }

        key.Append(message.MessageId).Append(".json");
        return key.ToString().ToLowerInvariant();
    }

    private static string Part(string? value)
    {
        if (string.IsNullOrEmpty(value))
        {
            return "unknown";
        }

        string part = value.Replace(' ', '_');
        return Allowed().IsMatch(part) ? part : "invalid";
    }

    [GeneratedRegex(@"\A[A-Za-z0-9_]+\z")]
    private static partial Regex Allowed();
}
