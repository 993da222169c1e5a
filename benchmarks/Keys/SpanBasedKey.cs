using System.Globalization;

namespace Benchmarks.Keys;

/// <summary>Frozen: the key written into a span on the stack, then converted to a string once.</summary>
internal static class SpanBasedKey
{
    private const int LongestOnStack = 256;

    public static string Of(KeyMessage message)
    {
        int length = KeyLength.Of(message);
        Span<char> key = length <= LongestOnStack ? stackalloc char[LongestOnStack] : new char[length];
        key = key[..length];
        Write(message, key);
        return key.ToString();
    }

    /// <param name="message">The values of the key.</param>
    /// <param name="key">A span of the length that <see cref="KeyLength"/> returns.</param>
    public static void Write(KeyMessage message, Span<char> key)
    {
        int at = Part(message.Product, key, 0);
        at = Part(message.SiteKey, key, at);
        at = Part(message.EventName, key, at);
        if (message.EventDateUtc is { } date)
        {
            date.TryFormat(key[at..], out int written, "yyyy/MM/dd/HH", CultureInfo.InvariantCulture);
            at += written;
            key[at++] = '/';
        }

        at += message.MessageId.AsSpan().ToLowerInvariant(key[at..]);
        ".json".CopyTo(key[at..]);
    }

    private static int Part(string? value, Span<char> key, int at)
    {
        ReadOnlySpan<char> part = KeyLength.TextOf(value);
        for (int i = 0; i < part.Length; i++)
        {
            char c = part[i];
            key[at + i] = c == ' ' ? '_' : char.ToLowerInvariant(c);
        }

        at += part.Length;
        key[at] = '/';
        return at + 1;
    }
}
