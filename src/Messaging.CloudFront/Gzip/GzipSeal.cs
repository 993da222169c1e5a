using System.IO.Compression;
using System.Security.Cryptography;

namespace Messaging.CloudFront.Gzip;

/// <summary>
/// A gzip member of known content that is appended to what is read. It comes out whole only when what stands before it ended at the
/// end of a member, which the runtime does not tell otherwise (docs/explanation/adr/gzip-seal.md). Random, so that no object holds it by chance.
/// </summary>
internal static class GzipSeal
{
    /// <summary>What comes out; no object ends in the same 16 random bytes by chance.</summary>
    public static ReadOnlyMemory<byte> Content { get; } = RandomNumberGenerator.GetBytes(16);

    /// <summary>What goes in: header, deflate block, CRC-32 and length; below 64 bytes.</summary>
    public static ReadOnlyMemory<byte> Member { get; } = Compress(Content.Span);

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
