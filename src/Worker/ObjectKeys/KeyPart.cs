namespace Worker.ObjectKeys;

/// <summary>
/// The rule of the seed for a property's value in a key: missing or empty becomes <c>unknown</c>; a blank becomes <c>_</c>; a value with
/// anything outside <c>[A-Za-z0-9_ ]</c>, or longer than <see cref="MaxBytes"/>, becomes <c>invalid</c>; letters become lower case. Blanks are not trimmed.
/// </summary>
internal static class KeyPart
{
    /// <summary>
    /// Bytes of a part at most. 1,024 bytes are a key's limit at S3: six parts and an id of this size leave 128 bytes for prefix, fixed
    /// text and date. It also keeps a level within the 255 bytes of a file name.
    /// </summary>
    public const int MaxBytes = 128;

    private const byte NotAllowed = 0;

    // What each byte becomes.
    private static readonly byte[] Map = CreateMap();

    /// <summary>Writes the part of a value.</summary>
    /// <param name="value">UTF-8, of any length; empty when the property is missing, null or empty.</param>
    /// <param name="destination">At least <see cref="MaxBytes"/> bytes.</param>
    /// <returns>Bytes written, never 0.</returns>
    public static int Write(ReadOnlySpan<byte> value, Span<byte> destination)
    {
        if (value.IsEmpty)
        {
            return Copy("unknown"u8, destination);
        }

        if (value.Length > MaxBytes)
        {
            return Copy("invalid"u8, destination);
        }

        byte[] map = Map;
        Span<byte> part = destination[..value.Length];
        for (int i = 0; i < part.Length; i++)
        {
            byte mapped = map[value[i]];
            if (mapped == NotAllowed)
            {
                return Copy("invalid"u8, destination);
            }

            part[i] = mapped;
        }

        return value.Length;
    }

    private static int Copy(ReadOnlySpan<byte> text, Span<byte> destination)
    {
        text.CopyTo(destination);
        return text.Length;
    }

    private static byte[] CreateMap()
    {
        byte[] map = new byte[256];
        for (int i = 0; i < map.Length; i++)
        {
            char c = (char)i;
            map[i] = c == ' ' ? (byte)'_' : char.IsAsciiLetterOrDigit(c) || c == '_' ? (byte)char.ToLowerInvariant(c) : NotAllowed;
        }

        return map;
    }
}
