using System.Buffers;
using System.Security.Cryptography;

namespace Worker.ObjectKeys;

/// <summary>
/// Writes a message's id so that different ids never look the same in a key, and none can leave its level.
/// <c>a-z 0-9 _ -</c> and dots inside stay as they are; any other byte becomes <c>=</c> and two lower-case hex digits, and so do a first and a
/// last dot, so that no level is <c>.</c> or <c>..</c>. What would be longer than <see cref="MaxBytes"/> becomes <c>==</c> and the SHA-256
/// of the id in hex; an escape never starts with <c>==</c>, so no short id can look like that. Undoing the escapes gives the id back,
/// which is why two short ids cannot meet; two long ones meet only where SHA-256 collides.
/// </summary>
internal static class MessageIdEncoding
{
    /// <summary>Bytes of an encoded id at most. As for <see cref="KeyPart.MaxBytes"/>; a SHA-512 in lower-case hex still stays readable.</summary>
    public const int MaxBytes = 128;

    private const int EscapeLength = 3;

    private static readonly SearchValues<byte> Kept = SearchValues.Create("abcdefghijklmnopqrstuvwxyz0123456789_-."u8);

    private static ReadOnlySpan<byte> HashMark => "=="u8;

    /// <summary>Writes the encoded id.</summary>
    /// <param name="id">Bytes of any kind and length, but not empty.</param>
    /// <param name="destination">At least <see cref="MaxBytes"/> bytes.</param>
    /// <returns>Bytes written.</returns>
    public static int Write(ReadOnlySpan<byte> id, Span<byte> destination)
    {
        if (id.Length <= MaxBytes && !id.ContainsAnyExcept(Kept) && id[0] != '.' && id[^1] != '.')
        {
            id.CopyTo(destination);
            return id.Length;
        }

        return WriteEscaped(id, destination);
    }

    private static int WriteEscaped(ReadOnlySpan<byte> id, Span<byte> destination)
    {
        int written = 0;
        for (int i = 0; i < id.Length; i++)
        {
            byte value = id[i];
            bool keep = Kept.Contains(value) && (value != '.' || (i > 0 && i < id.Length - 1));
            if (written + (keep ? 1 : EscapeLength) > MaxBytes)
            {
                return WriteHash(id, destination);
            }

            if (keep)
            {
                destination[written++] = value;
                continue;
            }

            destination[written] = (byte)'=';
            Convert.TryToHexStringLower(id.Slice(i, 1), destination[(written + 1)..], out _);
            written += EscapeLength;
        }

        return written;
    }

    private static int WriteHash(ReadOnlySpan<byte> id, Span<byte> destination)
    {
        Span<byte> hash = stackalloc byte[SHA256.HashSizeInBytes];
        SHA256.HashData(id, hash);
        HashMark.CopyTo(destination);
        Convert.TryToHexStringLower(hash, destination[HashMark.Length..], out int hexLength);
        return HashMark.Length + hexLength;
    }
}
