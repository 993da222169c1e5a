using System.Buffers;
using System.Security.Cryptography;

namespace Quayside.Messaging.Archive.ObjectKeys;

/// <summary>
/// Writes a value as a part of a key by a <see cref="KeyRule"/>, or a message's id. Whatever the value holds, a part has no slash, no dot
/// at either end and at most <see cref="MaxBytes"/> bytes.
/// </summary>
/// <remarks>
/// Escapes give different values different text. Kept bytes and inner dots stay unchanged. Any other byte becomes <c>=</c> and two
/// lower-case hex digits. So do a first and a last dot, so that no level is <c>.</c> or <c>..</c>. A value whose text would be longer than
/// <see cref="MaxBytes"/> becomes <c>==</c> and the SHA-256 of its bytes in hex; an escape never starts with <c>==</c>, so a short value
/// never has this form. The escapes are reversible, so two short values never have the same text; two long values have the same text only
/// if SHA-256 collides.
/// </remarks>
internal static class KeyPart
{
    /// <summary>
    /// Maximum bytes of a part. S3 limits a key to 1,024 bytes: six parts and an id of this size leave 128 bytes for prefix, fixed text
    /// and date. It also keeps a level within the 255 bytes of a file name, and a SHA-512 in lower-case hex still fits unescaped.
    /// </summary>
    public const int MaxBytes = 128;

    private const byte NotAllowed = 0;

    private const int EscapeLength = 3;

    /// <summary>Minimum of a limit of its own: the mark and the digits of a part that was cut, and something readable before them.</summary>
    public const int MinLimit = 40;

    // 128 bits: what a cut part keeps of the SHA-256.
    private const int CutHashBytes = 16;
    private const int CutEnd = 2 + (CutHashBytes * 2);

    private static readonly SearchValues<byte> Kept = SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-."u8);

    // Without upper case, so that ids that differ only in case are two files even when a file system ignores case.
    private static readonly SearchValues<byte> KeptInIds = SearchValues.Create("abcdefghijklmnopqrstuvwxyz0123456789_-."u8);

    // Maps each byte to the byte that is written.
    private static readonly byte[] Seed = CreateMap(static c => c == ' ' ? '_' : char.IsAsciiLetterOrDigit(c) || c == '_' ? char.ToLowerInvariant(c) : '\0');
    private static readonly byte[] Keep = CreateMap(static c => Kept.Contains((byte)c) ? c : '\0');
    private static readonly byte[] Lower = CreateMap(static c => Kept.Contains((byte)c) ? char.ToLowerInvariant(c) : '\0');

    /// <summary>The part of a property that is missing, null or empty.</summary>
    public static ReadOnlySpan<byte> Unknown => "unknown"u8;

    /// <summary>The part of a value that does not fit its rule.</summary>
    public static ReadOnlySpan<byte> Invalid => "invalid"u8;

    private static ReadOnlySpan<byte> HashMark => "=="u8;

    private static ReadOnlySpan<byte> Hex => "0123456789abcdef"u8;

    /// <summary>Writes the part of a value.</summary>
    /// <param name="rule">The rule of the placeholder.</param>
    /// <param name="value">UTF-8, of any length, not empty.</param>
    /// <param name="destination">At least <see cref="MaxBytes"/> bytes.</param>
    /// <param name="written">Bytes written.</param>
    /// <param name="limit">Maximum bytes of the part, at which a longer value is cut; 0 when a value that is too long does not fit.</param>
    /// <returns>False when the value does not fit the rule; the content of the destination is then undefined.</returns>
    public static bool TryWrite(KeyRule rule, ReadOnlySpan<byte> value, Span<byte> destination, out int written, int limit = 0)
    {
        if (rule == KeyRule.Seed)
        {
            return TryMap(Seed, value, destination, limit, out written);
        }

        if (value[0] != '.' && value[^1] != '.' && TryMap(rule == KeyRule.Lower ? Lower : Keep, value, destination, limit, out written)
            && (rule != KeyRule.Encode || !value.SequenceEqual(Unknown)))
        {
            return true;
        }

        written = 0;
        if (rule is KeyRule.Keep or KeyRule.Lower)
        {
            return false;
        }

        written = Encode(value, destination, limit);
        return true;
    }

    /// <summary>Writes the part of a value by the rule <see cref="KeyRule.Encode"/>.</summary>
    /// <param name="value">Bytes of any kind and length, but not empty.</param>
    /// <param name="destination">At least <see cref="MaxBytes"/> bytes.</param>
    /// <param name="limit">Maximum bytes of the part, at which a longer one is cut; 0 for <see cref="MaxBytes"/>, above which it is a hash.</param>
    /// <returns>Bytes written.</returns>
    public static int Encode(ReadOnlySpan<byte> value, Span<byte> destination, int limit = 0)
    {
        if (!value.SequenceEqual(Unknown))
        {
            return Escape(value, Kept, destination, limit);
        }

        // Messages without the property get this word, so a value with the same text must be escaped.
        int written = WriteEscape(value[0], destination);
        value[1..].CopyTo(destination[written..]);
        return written + value.Length - 1;
    }

    /// <summary>Writes a message's id, escaped; upper case is escaped, too.</summary>
    /// <param name="id">Bytes of any kind and length, but not empty.</param>
    /// <param name="destination">At least <see cref="MaxBytes"/> bytes.</param>
    /// <returns>Bytes written.</returns>
    public static int WriteId(ReadOnlySpan<byte> id, Span<byte> destination) => Escape(id, KeptInIds, destination, limit: 0);

    // The kept bytes have the dot, and not the equals sign.
    private static int Escape(ReadOnlySpan<byte> value, SearchValues<byte> kept, Span<byte> destination, int limit)
    {
        if (value.Length <= (limit == 0 ? MaxBytes : limit) && !value.ContainsAnyExcept(kept) && value[0] != '.' && value[^1] != '.')
        {
            value.CopyTo(destination);
            return value.Length;
        }

        return WriteEscaped(value, kept, destination, limit);
    }

    private static int WriteEscape(byte value, Span<byte> destination)
    {
        destination[2] = Hex[value & 0xF];
        destination[1] = Hex[value >> 4];
        destination[0] = (byte)'=';
        return EscapeLength;
    }

    private static int WriteEscaped(ReadOnlySpan<byte> value, SearchValues<byte> kept, Span<byte> destination, int limit)
    {
        int written = 0;
        int cut = 0;
        int max = limit == 0 ? MaxBytes : limit;
        for (int i = 0; i < value.Length; i++)
        {
            byte one = value[i];
            bool keep = kept.Contains(one) && (one != '.' || (i > 0 && i < value.Length - 1));
            if (written + (keep ? 1 : EscapeLength) > max)
            {
                return limit == 0 ? WriteHash(value, destination) : cut + WriteCutEnd(value, destination[cut..]);
            }

            cut = written <= max - CutEnd ? written : cut;

            if (keep)
            {
                destination[written++] = one;
                continue;
            }

            written += WriteEscape(one, destination[written..]);
        }

        return written;
    }

    // No part that was not cut has the mark in it, so a cut part differs from each of them, and from other cut parts by the digits.
    private static int WriteCutEnd(ReadOnlySpan<byte> value, Span<byte> destination)
    {
        Span<byte> hash = stackalloc byte[SHA256.HashSizeInBytes];
        SHA256.HashData(value, hash);
        HashMark.CopyTo(destination);
        Convert.TryToHexStringLower(hash[..CutHashBytes], destination[HashMark.Length..], out int hexLength);
        return HashMark.Length + hexLength;
    }

    private static int WriteHash(ReadOnlySpan<byte> value, Span<byte> destination)
    {
        Span<byte> hash = stackalloc byte[SHA256.HashSizeInBytes];
        SHA256.HashData(value, hash);
        HashMark.CopyTo(destination);
        Convert.TryToHexStringLower(hash, destination[HashMark.Length..], out int hexLength);
        return HashMark.Length + hexLength;
    }

    private static bool TryMap(byte[] map, ReadOnlySpan<byte> value, Span<byte> destination, int limit, out int written)
    {
        written = value.Length;
        if (value.Length > (limit == 0 ? MaxBytes : limit))
        {
            return limit > 0 && TryMapAndCut(map, value, destination[..limit], out written);
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

    private static bool TryMapAndCut(byte[] map, ReadOnlySpan<byte> value, Span<byte> part, out int written)
    {
        written = part.Length;
        int cut = part.Length - CutEnd;
        for (int i = 0; i < value.Length; i++)
        {
            byte mapped = map[value[i]];
            if (mapped == NotAllowed)
            {
                return false;
            }

            if (i < cut)
            {
                part[i] = mapped;
            }
        }

        WriteCutEnd(value, part[cut..]);
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

/// <summary>How a value becomes a part of a key: the word after the colon of a placeholder.</summary>
internal enum KeyRule
{
    /// <summary>No word: the rule of the seed. Letters, digits and <c>_</c> in lower case, blanks as <c>_</c>; nothing else fits.</summary>
    Seed = 0,

    /// <summary><c>keep</c>: letters, digits, <c>_ - .</c> unchanged; nothing else fits.</summary>
    Keep,

    /// <summary><c>lower</c>: as <see cref="Keep"/>, in lower case.</summary>
    Lower,

    /// <summary><c>encode</c>: as <see cref="Keep"/>, and everything else is escaped. Every value fits, and different values have different parts.</summary>
    Encode,

    /// <summary><c>number</c>: the JSON text of a number or boolean, escaped as by <see cref="Encode"/>.</summary>
    Number,

    /// <summary><c>any</c>: a string, or the JSON text of a number or boolean, escaped as by <see cref="Encode"/>.</summary>
    Any,
}
