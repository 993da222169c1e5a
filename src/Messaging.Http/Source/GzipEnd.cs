using System.IO.Compression;
using System.Security.Cryptography;

namespace Messaging.Http.Source;

/// <summary>
/// A gzip member to put behind a body: it comes out complete only if the body ends where a member does, which the runtime does not report otherwise. Made like the
/// seal of the CloudFront reader (docs/explanation/adr/gzip-seal.md): a body that is cut off in a header takes this member's header for the rest of its own, and
/// its deflate data then begins at a wrong byte.
/// </summary>
internal static class GzipEnd
{
    // RFC 1952, section 2.3.
    private const int FlagsAt = 3;
    private const byte HasChecksum = 2;
    private const byte HasName = 8;
    private const int HeaderLength = 10;

    // Longer than any "extra" field. A name that is cut off ends where this one does; then the header's checksum follows, which is no deflate data.
    private const int NameLength = 1 << 16;
    private const byte InvalidBlock = 6;

    /// <summary>What comes out: random, so that no body ends with it by chance.</summary>
    public static byte[] Content { get; } = RandomNumberGenerator.GetBytes(16);

    /// <summary>The member, 64 KiB.</summary>
    public static byte[] Member { get; } = Make();

    private static byte[] Make()
    {
        byte[] plain = Compress(Content);
        byte[] header = [.. plain[..HeaderLength], .. Enumerable.Repeat((byte)'a', NameLength), 0];
        header[FlagsAt] = HasChecksum | HasName;
        byte[] checksum;
        do
        {
            header[^2]++;

            // The lower half of the CRC-32, which precedes the length at the end of a member.
            checksum = Compress(header)[^8..^6];
        }
        while ((checksum[0] & InvalidBlock) != InvalidBlock);

        return [.. header, .. checksum, .. plain[HeaderLength..]];
    }

    private static byte[] Compress(byte[] content)
    {
        using MemoryStream member = new();
        using (GZipStream gzip = new(member, CompressionLevel.Fastest))
        {
            gzip.Write(content);
        }

        return member.ToArray();
    }
}
