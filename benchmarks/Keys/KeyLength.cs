using System.Buffers;

namespace Benchmarks.Keys;

/// <summary>The length of a message's key, for the variants that need it before they write the key.</summary>
internal static class KeyLength
{
    private static readonly SearchValues<char> Allowed = SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_ ");

    public static int Of(KeyMessage message)
    {
        int parts = TextOf(message.Product).Length + TextOf(message.SiteKey).Length + TextOf(message.EventName).Length + "///".Length;
        int date = message.EventDateUtc is null ? 0 : "yyyy/MM/dd/HH/".Length;
        return parts + date + (message.MessageId?.Length ?? 0) + ".json".Length;
    }

    /// <summary>The text that represents a value, before blanks and case are changed.</summary>
    public static ReadOnlySpan<char> TextOf(string? value) =>
        string.IsNullOrEmpty(value) ? "unknown"
        : value.AsSpan().ContainsAnyExcept(Allowed) ? "invalid"
        : value;
}
