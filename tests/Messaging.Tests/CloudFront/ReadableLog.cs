using System.Text;

namespace Messaging.Tests.CloudFront;

/// <summary>The reference for the parser: the rules of docs/guides/cloudfront.md for a whole log in memory, written for readability.</summary>
internal static class ReadableLog
{
    // A byte order mark as Latin-1.
    private const string Mark = "\u00ef\u00bb\u00bf";

    /// <summary>Returns the same text as <see cref="SeenRows.Parse"/>.</summary>
    public static string Parse(byte[] text, string[] columns, int maxRowBytes = 64 * 1024)
    {
        List<string> seen = [];
        string[]? fields = null;
        int number = 0;
        foreach (string part in Encoding.Latin1.GetString(text).Split('\n'))
        {
            string line = part.EndsWith('\r') ? part[..^1] : part;
            while (line.StartsWith(Mark, StringComparison.Ordinal))
            {
                line = line[Mark.Length..];
            }

            if (line.Length == 0)
            {
                continue;
            }

            if (line[0] == '#')
            {
                string? fault = Directive(line, columns, maxRowBytes, ref fields);
                if (fault is not null)
                {
                    seen.Add($"! {fault}");
                    break;
                }

                continue;
            }

            if (fields is null)
            {
                seen.Add("! log-no-fields");
                break;
            }

            number++;
            string[] values = line.Split('\t');
            string? bad = line.Length > maxRowBytes ? "row-too-long"
                : line.Contains('\0', StringComparison.Ordinal) ? "row-nul"
                : values.Length < fields.Length ? "row-too-few-columns"
                : values.Length > fields.Length ? "row-too-many-columns"
                : null;
            seen.Add(bad is null
                ? $"{number}: {string.Join('|', columns.Select(column => values[Array.IndexOf(fields, column)]))}"
                : $"{number}: {bad} {line[..Math.Min(line.Length, maxRowBytes)]}");
        }

        return string.Join('\n', seen);
    }

    private static string? Directive(string line, string[] columns, int maxRowBytes, ref string[]? fields)
    {
        if (line.Length > maxRowBytes)
        {
            return "log-bad-fields";
        }

        if (line.StartsWith("#Fields:", StringComparison.Ordinal))
        {
            fields = line["#Fields:".Length..].Split([' ', '\t'], StringSplitOptions.RemoveEmptyEntries);
            string[] named = fields;
            if (fields.Length == 0 || columns.Any(column => named.Count(field => field == column) > 1))
            {
                return "log-bad-fields";
            }

            return columns.All(named.Contains) ? null : "log-missing-column";
        }

        return line.StartsWith("#Version:", StringComparison.Ordinal) && line["#Version:".Length..].Trim(' ') != "1.0" ? "log-unknown-version" : null;
    }
}
