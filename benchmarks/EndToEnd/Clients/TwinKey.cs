using System.Globalization;

namespace Benchmarks.EndToEnd.Clients;

/// <summary>The key as one writes it: readable, with strings.</summary>
internal static class TwinKey
{
    public static string Of(TwinMessage message)
    {
        string date = message.EventDateUtc is { } at ? at.ToUniversalTime().ToString("yyyy/MM/dd/HH/", CultureInfo.InvariantCulture) : "";
        return $"{Part(message.Product)}/{Part(message.SiteKey)}/{Part(message.EventName)}/{date}{message.MessageId}.json";
    }

    private static string Part(string? value)
    {
        if (string.IsNullOrEmpty(value))
        {
            return "unknown";
        }

        return value.All(c => char.IsAsciiLetterOrDigit(c) || c is '_' or ' ') ? value.Replace(' ', '_').ToLowerInvariant() : "invalid";
    }
}
