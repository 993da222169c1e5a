using System.IO.Compression;
using Pipeline.Buffers;

namespace Messaging.Sinks.Bundles;

/// <summary>Writes entries as gzip (RFC 1952) of JSON lines. The same entries always give the same bytes, on one version of the runtime.</summary>
internal static class BundleContent
{
    // RFC 1952, 2.3: MTIME is 4 bytes of zero as the runtime writes it; OS is 3 or 10 by platform, and 255 says that it does not matter.
    private const int OsOffset = 9;
    private const byte AnyOs = 255;

    private static ReadOnlySpan<byte> ByteOrderMark => [0xEF, 0xBB, 0xBF];

    /// <param name="entries">The entries, sorted; their bodies are valid JSON.</param>
    /// <param name="content">Where the bytes go; empty.</param>
    /// <param name="cancellationToken">Looked at between entries.</param>
    public static void Write(ReadOnlySpan<BundleWaiter> entries, PooledBuffer content, CancellationToken cancellationToken)
    {
        using (BufferStream stream = new(content))
        using (GZipStream gzip = new(stream, CompressionLevel.Optimal))
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

        // Inside a JSON string they cannot stand unescaped: what is found is formatting. No byte of a longer UTF-8 form equals them.
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
