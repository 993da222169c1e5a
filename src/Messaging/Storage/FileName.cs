using System.Buffers;
using System.Security.Cryptography;
using System.Text;

namespace Quayside.Messaging.Storage;

/// <summary>Makes names of single files and folders that every common file system accepts.</summary>
internal static class FileName
{
    /// <summary>
    /// The longest name in UTF-8 bytes: 255 on ext4, XFS, btrfs and tmpfs; NTFS and APFS count UTF-16 units or characters, which are never more.
    /// </summary>
    public const int MaxBytes = 255;

    // With 16 bytes of SHA-256, two long names collide neither by chance nor by intent; files count as equal only after their bytes were compared.
    private const int HashBytes = 16;

    // A shortened name keeps an extension up to this length, so that *.json still matches it.
    private const int MaxExtension = 16;

    private static readonly SearchValues<char> Safe = SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-");

    /// <summary>
    /// Shortens a name that is longer than <see cref="MaxBytes"/>: its beginning, <c>~</c>, 32 hexadecimal digits of the SHA-256 of
    /// the whole name, its extension. The same name always gives the same result.
    /// </summary>
    public static string Fit(string name)
    {
        if (Encoding.UTF8.GetByteCount(name) <= MaxBytes)
        {
            return name;
        }

        string extension = Path.GetExtension(name);
        if (Encoding.UTF8.GetByteCount(extension) > MaxExtension)
        {
            extension = string.Empty;
        }

        string tail = $"~{Hash(Encoding.UTF8.GetBytes(name))}{extension}";
        return string.Concat(Cut(name, MaxBytes - Encoding.UTF8.GetByteCount(tail)), tail);
    }

    /// <summary>
    /// Makes a readable name of any text: letters, digits, <c>_</c> and <c>-</c> stay, everything else becomes <c>_</c>; 1 to <paramref name="maxLength"/>
    /// characters.
    /// </summary>
    public static string Sanitize(ReadOnlySpan<char> text, int maxLength)
    {
        if (text.IsEmpty)
        {
            return "_";
        }

        char[] safe = text[..Math.Min(text.Length, maxLength)].ToArray();
        foreach (ref char c in safe.AsSpan())
        {
            if (!Safe.Contains(c))
            {
                c = '_';
            }
        }

        return new string(safe);
    }

    /// <summary>32 lower-case hexadecimal digits of the SHA-256 of <paramref name="bytes"/>.</summary>
    public static string Hash(ReadOnlySpan<byte> bytes)
    {
        Span<byte> hash = stackalloc byte[SHA256.HashSizeInBytes];
        SHA256.HashData(bytes, hash);
        return Convert.ToHexStringLower(hash[..HashBytes]);
    }

    private static string Cut(string name, int maxBytes)
    {
        int length = 0;
        int bytes = 0;
        foreach (Rune rune in name.EnumerateRunes())
        {
            bytes += rune.Utf8SequenceLength;
            if (bytes > maxBytes)
            {
                break;
            }

            length += rune.Utf16SequenceLength;
        }

        return name[..length];
    }
}
