using System.IO.Compression;
using Pipeline.Buffers;

namespace Messaging.Sinks.Bundles;

/// <summary>Writes entries as JSON lines in gzip (RFC 1952). On one version of the runtime, the same entries give the same bytes.</summary>
internal static class BundleContent
{
    // RFC 1952, 2.3: the runtime writes MTIME as zero, but OS depends on the platform (3 or 10); 255 means unknown.
    private const int OsOffset = 9;
    private const byte AnyOs = 255;

    // Messages of 266 B: 1.7 us each for 22.4 % of their bytes; level 6 takes 3.0 us for 21.1 %, level 1 1.0 us for 33 % (zlib-ng).
    private static readonly ZLibCompressionOptions Compression = new() { CompressionLevel = 3 };

    private static ReadOnlySpan<byte> ByteOrderMark => [0xEF, 0xBB, 0xBF];

    /// <summary>True for bytes that begin as those of <see cref="Write"/>: no flags, no time, an unknown platform.</summary>
    public static bool IsBundle(ReadOnlySpan<byte> bytes) => bytes is [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, _, AnyOs, ..];

    /// <summary>Writes the entries as one gzip member.</summary>
    /// <param name="entries">The entries, sorted; their bodies are valid JSON.</param>
    /// <param name="content">The empty buffer for the bytes.</param>
    /// <param name="cancellationToken">Checked between entries.</param>
    public static void Write(ReadOnlySpan<BundleWaiter> entries, PooledBuffer content, CancellationToken cancellationToken)
    {
        using (BufferStream stream = new(content))
        using (GZipStream gzip = new(stream, Compression))
        {
            foreach (BundleWaiter entry in entries)
            {
                cancellationToken.ThrowIfCancellationRequested();
                WriteLine(gzip, entry.Body.Span);
            }
        }

        content.WrittenSpan[OsOffset] = AnyOs;
    }

    private static void WriteLine(GZipStream gzip, ReadOnlySpan<byte> body)
    {
        if (body.StartsWith(ByteOrderMark))
        {
            body = body[ByteOrderMark.Length..];
        }

        // JSON strings cannot contain them unescaped, so they are formatting. In UTF-8 no byte of a longer sequence equals them.
        for (int at = body.IndexOfAny((byte)'\r', (byte)'\n'); at >= 0; at = body.IndexOfAny((byte)'\r', (byte)'\n'))
        {
            gzip.Write(body[..at]);
            gzip.Write(" "u8);
            body = body[(at + 1)..];
        }

        gzip.Write(body);
        gzip.Write("\n"u8);
    }
}
