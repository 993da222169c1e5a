using System.Globalization;
using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;

namespace Tests.Shared.ReadableKeys;

/// <summary>
/// Message bytes to object key under any template and rule, written for readability: JsonDocument, regular expressions and strings.
/// The tested twin of the worker's reader and template; it assumes valid templates.
/// </summary>
/// <param name="template">As in <c>Handlers:Archive:Template</c>.</param>
/// <param name="idProperty">As in <c>MessageIdProperty</c>.</param>
/// <param name="missing">As in <c>MissingProperty</c>.</param>
/// <param name="invalid">As in <c>InvalidValue</c>.</param>
internal sealed partial class ReadableTemplate(string template, string idProperty = "MessageId", string missing = "Default", string invalid = "Default")
{
    private const string Poison = "poison";

    /// <returns>The key; or null and the reason, which is <c>poison</c> for every fault of the body itself.</returns>
    public (string? Key, string? Reason) Of(byte[] body)
    {
        try
        {
            bool hasMark = body.AsSpan().StartsWith(Encoding.UTF8.Preamble);
            using JsonDocument document = JsonDocument.Parse(hasMark ? body.AsMemory(Encoding.UTF8.Preamble.Length) : body);
            return (Of(document.RootElement), null);
        }
        catch (ReasonException exception)
        {
            return (null, exception.Message);
        }
        catch (Exception exception) when (exception is JsonException or InvalidOperationException)
        {
            // The second: the text has half a surrogate pair.
            return (null, Poison);
        }
    }

    private string Of(JsonElement body)
    {
        if (body.ValueKind != JsonValueKind.Object)
        {
            throw new ReasonException(Poison);
        }

        (string idPath, string idRule) = Split(idProperty);
        string? id = Read(body, idPath, idRule);
        foreach (Match placeholder in Placeholder().Matches(template))
        {
            (string path, string rule) = Split(placeholder.Groups[1].Value);
            if (!IsId(path, idPath))
            {
                Read(body, path, rule);
            }
        }

        if (string.IsNullOrEmpty(id))
        {
            throw new ReasonException("missing-id");
        }

        List<string> levels = [];
        foreach (string level in SlashOutsideBraces().Split(template))
        {
            if (HasDates(body, level, idPath))
            {
                levels.Add(Placeholder().Replace(level, match => Part(body, match.Groups[1].Value, idPath, id)));
            }
        }

        return string.Join('/', levels);
    }

    private bool HasDates(JsonElement body, string level, string idPath)
    {
        bool hasAll = true;
        foreach (Match placeholder in Placeholder().Matches(level))
        {
            (string path, string rule) = Split(placeholder.Groups[1].Value);
            if (!IsId(path, idPath) && IsDate(rule) && Read(body, path, rule) is null)
            {
                hasAll = missing == "Default" ? false : throw new ReasonException("missing-property");
            }
        }

        return hasAll;
    }

    private string Part(JsonElement body, string placeholder, string idPath, string id)
    {
        (string path, string rule) = Split(placeholder);
        if (IsId(path, idPath))
        {
            return ReadableEscapes.Id(id);
        }

        string? value = Read(body, path, rule);
        if (IsDate(rule))
        {
            return value!;
        }

        if (string.IsNullOrEmpty(value))
        {
            return missing == "Default" ? "unknown" : throw new ReasonException("missing-property");
        }

        bool isPlain = value.Length <= 128 && value[0] != '.' && value[^1] != '.' && value.All(c => char.IsAsciiLetterOrDigit(c) || c is '_' or '-' or '.');
        string? part = rule switch
        {
            "" => value.Length <= 128 && value.All(c => char.IsAsciiLetterOrDigit(c) || c is '_' or ' ') ? value.Replace(' ', '_').ToLowerInvariant() : null,
            "keep" => isPlain ? value : null,
            "lower" => isPlain ? value.ToLowerInvariant() : null,
            _ => ReadableEscapes.Part(value),
        };
        return part ?? invalid switch
        {
            "Default" => "invalid",
            "Encode" => ReadableEscapes.Part(value),
            _ => throw new ReasonException("invalid-value"),
        };
    }

    /// <summary>The value as text, or the date in its format; null for a missing date.</summary>
    private static string? Read(JsonElement body, string path, string rule)
    {
        JsonElement value = Find(body, path);
        if (value.ValueKind is JsonValueKind.Null or JsonValueKind.Undefined)
        {
            return null;
        }

        bool isString = value.ValueKind == JsonValueKind.String;
        bool isNumber = value.ValueKind is JsonValueKind.Number or JsonValueKind.True or JsonValueKind.False;
        bool isEpoch = rule.StartsWith("epoch", StringComparison.Ordinal);
        if (!(isEpoch ? isString || isNumber : rule == "number" ? isNumber : isString))
        {
            throw new ReasonException(Poison);
        }

        string text = isString ? value.GetString()! : value.GetRawText();
        if (!IsDate(rule))
        {
            return text;
        }

        if (text.Length == 0)
        {
            return null;
        }

        DateTime? date = null;
        string format = rule[(rule.IndexOf(':', StringComparison.Ordinal) + 1)..];
        if (isEpoch
            ? !ReadableDate.TryParseEpoch(text, rule.StartsWith("epochms", StringComparison.Ordinal), out date)
            : !ReadableDate.TryParse(text, out date))
        {
            throw new ReasonException(Poison);
        }

        // What .NET publishers send for "no date".
        return date.Value.Ticks < TimeSpan.TicksPerSecond ? null : date.Value.ToString(format, CultureInfo.InvariantCulture);
    }

    private static JsonElement Find(JsonElement value, string path)
    {
        foreach (Match step in Step().Matches(path))
        {
            if (value.ValueKind == JsonValueKind.Null)
            {
                return default;
            }

            if (step.Groups["index"].Success)
            {
                int index = int.Parse(step.Groups["index"].ValueSpan, CultureInfo.InvariantCulture);
                JsonElement[] elements = value.ValueKind == JsonValueKind.Array ? [.. value.EnumerateArray()] : throw new ReasonException(Poison);
                if (index >= elements.Length)
                {
                    return default;
                }

                value = elements[index];
                continue;
            }

            string name = step.Groups["quoted"].Success ? Regex.Unescape(step.Groups["quoted"].Value) : step.Groups["bare"].Value;
            JsonElement[] found = value.ValueKind == JsonValueKind.Object
                ? [.. value.EnumerateObject().Where(property => property.Name == name).Select(property => property.Value)]
                : throw new ReasonException(Poison);
            switch (found.Length)
            {
                case 0:
                    return default;
                case 1:
                    value = found[0];
                    break;
                default:
                    throw new ReasonException(Poison);
            }
        }

        return value;
    }

    private static bool IsId(string path, string idPath) => path == idPath || path == "MessageId";

    private static bool IsDate(string rule) => rule is not ("" or "keep" or "lower" or "encode" or "number");

    private static (string Path, string Rule) Split(string placeholder)
    {
        Match match = PathAndRule().Match(placeholder);
        return (match.Groups[1].Value, match.Groups[2].Value);
    }

    [GeneratedRegex("""\{((?:[^{}"]|"(?:\\.|[^"\\])*")+)\}""")]
    private static partial Regex Placeholder();

    [GeneratedRegex("""/(?![^{]*\})""")]
    private static partial Regex SlashOutsideBraces();

    [GeneratedRegex("""\A((?:[^:"]|"(?:\\.|[^"\\])*")+):?(.*)\z""")]
    private static partial Regex PathAndRule();

    [GeneratedRegex("""\[(?<index>[0-9]+)\]|"(?<quoted>(?:\\.|[^"\\])*)"|(?<bare>[^."\[\]]+)""", RegexOptions.ExplicitCapture)]
    private static partial Regex Step();

    private sealed class ReasonException(string reason) : Exception(reason);
}
