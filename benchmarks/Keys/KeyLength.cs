using System.Buffers;

namespace Benchmarks.Keys;

/// <summary>How long the key of a message gets, for the variants that need to know before they write it.</summary>
internal static class KeyLength
{
    private static readonly SearchValues<char> Allowed = SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_ ");

    public static int Of(KeyMessage message)
    {
        int parts = TextOf(message.Product).Length + TextOf(message.SiteKey).Length + TextOf(message.EventName).Length + "///".Length;
        int date = message.EventDateUtc is null ? 0 : "yyyy/MM/dd/HH/".Length;
        return parts + date + (message.MessageId?.Length ?? 0) + ".json".Length;
    }

    /// <summary>What stands for a value, before blanks and case.</summary>
    public static ReadOnlySpan<char> TextOf(string? value) =>
        string.IsNullOrEmpty(value) ? "unknown"
        : value.AsSpan().ContainsAnyExcept(Allowed) ? "invalid"
        : value;
}
