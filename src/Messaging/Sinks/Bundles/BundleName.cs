using System.Buffers.Binary;
using System.Security.Cryptography;

namespace Quayside.Messaging.Sinks.Bundles;

/// <summary>
/// Keys of bundles: <c>{prefix}{first id}-{hash}.ndjson.gz</c>. The hash covers the entries' keys and the object's bytes: equal sets of
/// messages have the same key, and objects with different bytes never do, not even across versions of the compressor.
/// </summary>
internal static class BundleName
{
    /// <summary>The longest prefix that leaves room for a name in S3's 1,024 bytes.</summary>
    public const int MaxPrefixBytes = 1_024 - MaxIdBytes - 1 - (2 * HashBytes) - 10;

    // Enough to recognise an id; a UUID has 36.
    private const int MaxIdBytes = 64;

    // 128 bits: no accidental or deliberate collisions.
    private const int HashBytes = 16;

    private static ReadOnlySpan<byte> Extension => ".ndjson.gz"u8;

    /// <summary>The key up to its last slash, shortened to whole levels that leave room for a name; empty without a slash.</summary>
    public static ReadOnlySpan<byte> PrefixOf(ReadOnlySpan<byte> key)
    {
        ReadOnlySpan<byte> prefix = key[..(key.LastIndexOf((byte)'/') + 1)];
        return prefix.Length <= MaxPrefixBytes ? prefix : prefix[..(prefix[..MaxPrefixBytes].LastIndexOf((byte)'/') + 1)];
    }

    /// <param name="prefix">The prefix of the bundle.</param>
    /// <param name="entries">The entries, at least one, sorted.</param>
    /// <param name="content">The bytes that <see cref="BundleContent"/> wrote for them.</param>
    public static byte[] Create(ReadOnlySpan<byte> prefix, ReadOnlySpan<BundleWaiter> entries, ReadOnlySpan<byte> content)
    {
        using IncrementalHash hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        Span<byte> length = stackalloc byte[sizeof(int)];
        foreach (BundleWaiter entry in entries)
        {
            BinaryPrimitives.WriteInt32LittleEndian(length, entry.Key.Length);
            hash.AppendData(length);
            hash.AppendData(entry.Key.Span);
        }

        hash.AppendData(content);
        Span<byte> digest = stackalloc byte[SHA256.HashSizeInBytes];
        hash.GetHashAndReset(digest);

        ReadOnlySpan<byte> id = IdOf(entries[0].Key.Span);
        byte[] name = new byte[prefix.Length + id.Length + 1 + (2 * HashBytes) + Extension.Length];
        Span<byte> rest = name;
        Append(prefix, ref rest);
        Append(id, ref rest);
        Append("-"u8, ref rest);
        Convert.TryToHexStringLower(digest[..HashBytes], rest, out int written);
        Append(Extension, rest[written..]);
        return name;
    }

    /// <summary>The last level without its extension, cut between characters.</summary>
    private static ReadOnlySpan<byte> IdOf(ReadOnlySpan<byte> key)
    {
        ReadOnlySpan<byte> name = key[(key.LastIndexOf((byte)'/') + 1)..];
        int dot = name.LastIndexOf((byte)'.');
        ReadOnlySpan<byte> id = dot > 0 ? name[..dot] : name;
        if (id.Length <= MaxIdBytes)
        {
            return id;
        }

        int cut = MaxIdBytes;
        while (cut > 0 && (id[cut] & 0xC0) == 0x80)
        {
            cut--;
        }

        return id[..cut];
    }

    private static void Append(ReadOnlySpan<byte> bytes, ref Span<byte> rest)
    {
        Append(bytes, rest);
        rest = rest[bytes.Length..];
    }

    private static void Append(ReadOnlySpan<byte> bytes, Span<byte> rest) => bytes.CopyTo(rest);
}
