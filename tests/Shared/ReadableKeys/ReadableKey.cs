using System.Globalization;
using System.Text;
using System.Text.Json;

namespace Tests.Shared.ReadableKeys;

/// <summary>
/// Message bytes to object key under the default template, written for readability: System.Text.Json's generated reader and plain
/// strings. The tested twin of the worker's reader and template, and their baseline in the benchmarks. It accepts every message that
/// System.Text.Json accepts; docs/reference/object-keys.md is stricter, and the tests name each difference.
/// </summary>
internal static class ReadableKey
{
    private const int MaxBytes = 128;

    /// <returns>The key; null when the body is not such a message, its date is invalid, or it has no id.</returns>
    public static string? Of(ReadOnlySpan<byte> body)
    {
        if (body.StartsWith(Encoding.UTF8.Preamble))
        {
            body = body[Encoding.UTF8.Preamble.Length..];
        }

        try
        {
            ReadableMessage? message = JsonSerializer.Deserialize(body, ReadableMessageContext.Default.ReadableMessage);
            return message is null ? null : Of(message);
        }
        catch (JsonException)
        {
            return null;
        }
    }

    /// <returns>The key; null when the date is invalid or the id is missing.</returns>
    public static string? Of(ReadableMessage message)
    {
        if (string.IsNullOrEmpty(message.MessageId))
        {
            return null;
        }

        string parts = $"{Part(message.Product)}/{Part(message.SiteKey)}/{Part(message.EventName)}";
        string file = $"{ReadableEscapes.Id(message.MessageId)}.json";
        if (string.IsNullOrEmpty(message.EventDateUtc))
        {
            return $"{parts}/{file}";
        }

        if (!ReadableDate.TryParse(message.EventDateUtc, out DateTime? date))
        {
            return null;
        }

        // What .NET publishers send for "no date".
        return date == DateTime.MinValue ? $"{parts}/{file}" : $"{parts}/{date.Value.ToString("yyyy/MM/dd/HH", CultureInfo.InvariantCulture)}/{file}";
    }

    private static string Part(string? value)
    {
        if (string.IsNullOrEmpty(value))
        {
            return "unknown";
        }

        bool isAllowed = value.Length <= MaxBytes && value.All(c => char.IsAsciiLetterOrDigit(c) || c is '_' or ' ');
        return isAllowed ? value.Replace(' ', '_').ToLowerInvariant() : "invalid";
    }
}
