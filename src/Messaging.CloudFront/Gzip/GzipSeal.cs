using System.IO.Compression;
using System.Security.Cryptography;

namespace Messaging.CloudFront.Gzip;

/// <summary>
/// A gzip member of known content that is appended to an object. It decompresses completely only if the object ends at the end of a
/// member, which the runtime does not report otherwise (docs/explanation/adr/gzip-seal.md). Its content is random.
/// </summary>
internal static class GzipSeal
{
    // RFC 1952, section 2.3.
    private const int FlagsAt = 3;
    private const int HasName = 8;
    private const int HeaderLength = 10;

    /// <summary>The decompressed seal: 16 random bytes, in which no object ends by chance.</summary>
    public static ReadOnlyMemory<byte> Content { get; } = RandomNumberGenerator.GetBytes(16);

    /// <summary>The compressed seal: header, deflate block, CRC-32 and length; below 256 bytes.</summary>
    public static ReadOnlyMemory<byte> Member { get; } = Compress(Content.Span);

    private static byte[] Compress(ReadOnlySpan<byte> content)
    {
        using MemoryStream member = new();
        using (GZipStream gzip = new(member, CompressionLevel.Fastest))
        {
            gzip.Write(content);
        }

        // The header gets a name of random length. An object that ends within an "extra" field must not announce exactly the header's length: the
        // seal's content would then be that of its own last member.
        byte[] bytes = member.ToArray();
        bytes[FlagsAt] = HasName;
        byte[] name = new byte[RandomNumberGenerator.GetInt32(16, 128)];
        name.AsSpan(..^1).Fill((byte)'s');
        return [.. bytes[..HeaderLength], .. name, .. bytes[HeaderLength..]];
    }
}
