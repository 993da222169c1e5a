using System.IO.Compression;
using System.Security.Cryptography;

namespace Quayside.Messaging.Gzip;

/// <summary>
/// A gzip member of known content that is appended to an object, or to a body over HTTP. It decompresses completely only if the object ends at the end of a
/// member, which the runtime does not report otherwise (docs/evidence/adr/gzip-seal.md). Its content is random.
/// </summary>
internal static class GzipSeal
{
    // RFC 1952, section 2.3.
    private const int FlagsAt = 3;
    private const byte HasChecksum = 2;
    private const byte HasName = 8;
    private const int HeaderLength = 10;

    // An object that ends within its header takes the seal's header for the rest of its own. Its "extra" field ends within this name, since it has 65,535
    // bytes at most. Its name may end where this one does, but then the checksum follows: a wrong one for its header, and no deflate data either.
    private const int NameLength = 1 << 16;
    private const byte InvalidBlock = 6;

    /// <summary>The decompressed seal: 16 random bytes, in which no object ends by chance.</summary>
    public static ReadOnlyMemory<byte> Content { get; } = RandomNumberGenerator.GetBytes(16);

    /// <summary>The compressed seal: a header of 64 KiB, deflate block, CRC-32 and length.</summary>
    public static ReadOnlyMemory<byte> Member { get; } = Seal(Content.Span);

    private static byte[] Seal(ReadOnlySpan<byte> content)
    {
        byte[] member = Compress(content);
        byte[] header = [.. member[..HeaderLength], .. new byte[NameLength]];
        header[FlagsAt] = HasChecksum | HasName;
        header.AsSpan(HeaderLength..^1).Fill((byte)'a');
        byte[] checksum;
        do
        {
            header[^2]++;

            // The lower half of the CRC-32, which precedes the length at the end of a member.
            checksum = Compress(header)[^8..^6];
        }
        while ((checksum[0] & InvalidBlock) != InvalidBlock);

        return [.. header, .. checksum, .. member[HeaderLength..]];
    }

    private static byte[] Compress(ReadOnlySpan<byte> content)
    {
        using MemoryStream member = new();
        using (GZipStream gzip = new(member, CompressionLevel.Fastest))
        {
            gzip.Write(content);
        }

        return member.ToArray();
    }
}
