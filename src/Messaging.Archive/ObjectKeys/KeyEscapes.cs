using System.Buffers;
using System.Security.Cryptography;

namespace Messaging.Archive.ObjectKeys;

/// <summary>
/// Writes values so that different values give different text, and none can leave its level. Kept bytes and inner dots stay unchanged.
/// Any other byte becomes <c>=</c> and two lower-case hex digits. So do a first and a last dot, so that no level is <c>.</c> or <c>..</c>.
/// A value whose text would be longer than <see cref="MaxBytes"/> becomes <c>==</c> and the SHA-256 of its bytes in hex; an escape never
/// starts with <c>==</c>, so a short value never has this form. The escapes are reversible, so two short values never have the same
/// text; two long values have the same text only if SHA-256 collides.
/// </summary>
internal static class KeyEscapes
{
    /// <summary>Maximum bytes written, as <see cref="KeyPart.MaxBytes"/>. A SHA-512 in lower-case hex still fits unescaped.</summary>
    public const int MaxBytes = 128;

    private const int EscapeLength = 3;

    private static ReadOnlySpan<byte> HashMark => "=="u8;

    private static ReadOnlySpan<byte> Hex => "0123456789abcdef"u8;

    /// <summary>Writes the escaped value.</summary>
    /// <param name="value">Bytes of any kind and length, but not empty.</param>
    /// <param name="kept">The bytes that stay unchanged: with the dot, without <c>=</c>.</param>
    /// <param name="destination">At least <see cref="MaxBytes"/> bytes.</param>
    /// <returns>Bytes written.</returns>
    public static int Write(ReadOnlySpan<byte> value, KeptBytes kept, Span<byte> destination)
    {
        if (value.Length <= MaxBytes && kept.HasAll(value) && value[0] != '.' && value[^1] != '.')
        {
            value.CopyTo(destination);
            return value.Length;
        }

        return WriteEscaped(value, kept, destination);
    }

    /// <summary>Writes one byte as an escape.</summary>
    /// <returns>Bytes written: always 3.</returns>
    public static int WriteEscape(byte value, Span<byte> destination)
    {
        destination[2] = Hex[value & 0xF];
        destination[1] = Hex[value >> 4];
        destination[0] = (byte)'=';
        return EscapeLength;
    }

    private static int WriteEscaped(ReadOnlySpan<byte> value, KeptBytes kept, Span<byte> destination)
    {
        int written = 0;
        for (int i = 0; i < value.Length; i++)
        {
            byte one = value[i];
            bool keep = kept.Has(one) && (one != '.' || (i > 0 && i < value.Length - 1));
            if (written + (keep ? 1 : EscapeLength) > MaxBytes)
            {
                return WriteHash(value, destination);
            }

            if (keep)
            {
                destination[written++] = one;
                continue;
            }

            written += WriteEscape(one, destination[written..]);
        }

        return written;
    }

    private static int WriteHash(ReadOnlySpan<byte> value, Span<byte> destination)
    {
        Span<byte> hash = stackalloc byte[SHA256.HashSizeInBytes];
        SHA256.HashData(value, hash);
        HashMark.CopyTo(destination);
        Convert.TryToHexStringLower(hash, destination[HashMark.Length..], out int hexLength);
        return HashMark.Length + hexLength;
    }
}

/// <summary>The bytes that stay unchanged: as a set for whole values, and as a table for single bytes.</summary>
internal sealed class KeptBytes
{
    private readonly SearchValues<byte> _set;
    private readonly bool[] _table = new bool[256];

    public KeptBytes(ReadOnlySpan<byte> bytes)
    {
        _set = SearchValues.Create(bytes);
        foreach (byte one in bytes)
        {
            _table[one] = true;
        }
    }

    public bool Has(byte one) => _table[one];

    public bool HasAll(ReadOnlySpan<byte> value) => !value.ContainsAnyExcept(_set);
}
