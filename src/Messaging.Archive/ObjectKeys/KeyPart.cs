namespace Messaging.Archive.ObjectKeys;

/// <summary>Writes a value as a part of a key by a <see cref="KeyRule"/>. Whatever the value holds, a part has no slash, no dot at either end and at most <see cref="MaxBytes"/> bytes.</summary>
internal static class KeyPart
{
    /// <summary>
    /// Maximum bytes of a part. S3 limits a key to 1,024 bytes: six parts and an id of this size leave 128 bytes for prefix, fixed text
    /// and date. It also keeps a level within the 255 bytes of a file name.
    /// </summary>
    public const int MaxBytes = 128;

    private const byte NotAllowed = 0;

    private static readonly KeptBytes Kept = new("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-."u8);

    // Maps each byte to the byte that is written.
    private static readonly byte[] Seed = CreateMap(static c => c == ' ' ? '_' : char.IsAsciiLetterOrDigit(c) || c == '_' ? char.ToLowerInvariant(c) : '\0');
    private static readonly byte[] Keep = CreateMap(static c => Kept.Has((byte)c) ? c : '\0');
    private static readonly byte[] Lower = CreateMap(static c => Kept.Has((byte)c) ? char.ToLowerInvariant(c) : '\0');

    /// <summary>The part of a property that is missing, null or empty.</summary>
    public static ReadOnlySpan<byte> Unknown => "unknown"u8;

    /// <summary>The part of a value that does not fit its rule.</summary>
    public static ReadOnlySpan<byte> Invalid => "invalid"u8;

    /// <summary>Writes the part of a value.</summary>
    /// <param name="rule">The rule of the placeholder.</param>
    /// <param name="value">UTF-8, of any length, not empty.</param>
    /// <param name="destination">At least <see cref="MaxBytes"/> bytes.</param>
    /// <param name="written">Bytes written.</param>
    /// <returns>False when the value does not fit the rule; the content of the destination is then undefined.</returns>
    public static bool TryWrite(KeyRule rule, ReadOnlySpan<byte> value, Span<byte> destination, out int written)
    {
        if (rule == KeyRule.Seed)
        {
            return TryMap(Seed, value, destination, out written);
        }

        if (value[0] != '.' && value[^1] != '.' && TryMap(rule == KeyRule.Lower ? Lower : Keep, value, destination, out written)
            && (rule != KeyRule.Encode || !value.SequenceEqual(Unknown)))
        {
            return true;
        }

        written = 0;
        if (rule is KeyRule.Keep or KeyRule.Lower)
        {
            return false;
        }

        written = Encode(value, destination);
        return true;
    }

    /// <summary>Writes the part of a value by the rule <see cref="KeyRule.Encode"/>.</summary>
    /// <param name="value">Bytes of any kind and length, but not empty.</param>
    /// <param name="destination">At least <see cref="MaxBytes"/> bytes.</param>
    /// <returns>Bytes written.</returns>
    public static int Encode(ReadOnlySpan<byte> value, Span<byte> destination)
    {
        if (!value.SequenceEqual(Unknown))
        {
            return KeyEscapes.Write(value, Kept, destination);
        }

        // Messages without the property get this word, so a value with the same text must be escaped.
        int written = KeyEscapes.WriteEscape(value[0], destination);
        value[1..].CopyTo(destination[written..]);
        return written + value.Length - 1;
    }

    private static bool TryMap(byte[] map, ReadOnlySpan<byte> value, Span<byte> destination, out int written)
    {
        written = value.Length;
        if (value.Length > MaxBytes)
        {
            return false;
        }

        Span<byte> part = destination[..value.Length];
        for (int i = 0; i < part.Length; i++)
        {
            byte mapped = map[value[i]];
            if (mapped == NotAllowed)
            {
                return false;
            }

            part[i] = mapped;
        }

        return true;
    }

    private static byte[] CreateMap(Func<char, char> of)
    {
        byte[] map = new byte[256];
        for (int i = 0; i < map.Length; i++)
        {
            map[i] = (byte)of((char)i);
        }

        return map;
    }
}
