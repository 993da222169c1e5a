using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;

namespace Tests.Shared.ReadableKeys;

/// <summary>
/// Message bytes to object key under the default template, as one writes it to be read: System.Text.Json's generated reader and plain
/// strings. The tested twin of the worker's reader and template, and their comparison in the benchmarks. It knows the messages by what
/// System.Text.Json accepts; docs/object-keys.md is stricter, and the tests name each difference.
/// </summary>
internal static class ReadableKey
{
    private const int MaxBytes = 128;

    /// <returns>The key; null when the body is no such message, its date is none, or it has no id.</returns>
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

    /// <returns>The key; null when the date is none or there is no id.</returns>
    public static string? Of(ReadableMessage message)
    {
        if (string.IsNullOrEmpty(message.MessageId))
        {
            return null;
        }

        string parts = $"{Part(message.Product)}/{Part(message.SiteKey)}/{Part(message.EventName)}";
        string file = $"{Id(message.MessageId)}.json";
        if (string.IsNullOrEmpty(message.EventDateUtc))
        {
            return $"{parts}/{file}";
        }

        return ReadableDate.TryParse(message.EventDateUtc, out DateTime? date)
            ? $"{parts}/{date.Value.ToString("yyyy/MM/dd/HH", CultureInfo.InvariantCulture)}/{file}"
            : null;
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

    private static string Id(string id)
    {
        byte[] bytes = Encoding.UTF8.GetBytes(id);
        StringBuilder encoded = new();
        for (int i = 0; i < bytes.Length; i++)
        {
            char c = (char)bytes[i];
            bool isInnerDot = c == '.' && i > 0 && i < bytes.Length - 1;
            if (char.IsAsciiLetterLower(c) || char.IsAsciiDigit(c) || c is '_' or '-' || isInnerDot)
            {
                encoded.Append(c);
            }
            else
            {
                encoded.Append('=').Append(bytes[i].ToString("x2", CultureInfo.InvariantCulture));
            }
        }

        return encoded.Length <= MaxBytes ? encoded.ToString() : "==" + Convert.ToHexStringLower(SHA256.HashData(bytes));
    }
}
