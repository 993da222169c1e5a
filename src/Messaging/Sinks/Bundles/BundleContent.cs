using System.Buffers;
using System.IO.Compression;
using Pipeline.Buffers;
using ZstdSharp;
using ZstdSharp.Unsafe;

namespace Messaging.Sinks.Bundles;

/// <summary>Writes entries as compressed JSON lines. On one version of the runtime and of ZstdSharp, the same entries give the same bytes.</summary>
internal static class BundleContent
{
    // RFC 1952, 2.3: the runtime writes MTIME as zero, but OS depends on the platform (3 or 10); 255 means unknown.
    private const int OsOffset = 9;
    private const byte AnyOs = 255;

    // Messages of 266 B: 1.7 us each for 22.4 % of their bytes; level 6 takes 3.0 us for 21.1 %, level 1 1.0 us for 33 % (zlib-ng).
    private static readonly ZLibCompressionOptions Gzip = new() { CompressionLevel = 3 };

    // Messages of 204 B: 0.6 us each for 23.5 % of their bytes, where gzip takes 1.4 us for 25.3 %; no level up to 5 is smaller.
    private const int ZstdLevel = 1;

    // A line is a few hundred bytes; a call of the compressor for each takes a tenth more time.
    private const int BlockSize = 64 << 10;

    private static ReadOnlySpan<byte> ByteOrderMark => [0xEF, 0xBB, 0xBF];

    /// <summary>The end of the keys of such bundles.</summary>
    public static ReadOnlySpan<byte> ExtensionOf(BundleCompression compression) => compression == BundleCompression.Zstd ? ".ndjson.zst"u8 : ".ndjson.gz"u8;

    /// <summary>The content type of such bundles.</summary>
    public static string ContentTypeOf(BundleCompression compression) => compression == BundleCompression.Zstd ? "application/zstd" : "application/gzip";

    /// <summary>
    /// The compression of bytes that begin as those of <see cref="Write"/> (gzip without flags, time and platform, or Zstandard's mark); null for others.
    /// </summary>
    public static BundleCompression? Find(ReadOnlySpan<byte> bytes) => bytes switch
    {
        [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, _, AnyOs, ..] => BundleCompression.Gzip,
        [0x28, 0xB5, 0x2F, 0xFD, ..] => BundleCompression.Zstd,
        _ => null,
    };

    /// <summary>Writes the entries as one gzip member or one frame of Zstandard.</summary>
    /// <param name="compression">Which.</param>
    /// <param name="entries">The entries, sorted; their bodies are valid JSON.</param>
    /// <param name="content">The empty buffer for the bytes.</param>
    /// <param name="cancellationToken">Checked between entries.</param>
    public static void Write(BundleCompression compression, ReadOnlySpan<BundleWaiter> entries, PooledBuffer content, CancellationToken cancellationToken)
    {
        byte[] block = ArrayPool<byte>.Shared.Rent(BlockSize);
        try
        {
            using BufferStream stream = new(content);
            using Stream compressor = Compress(compression, stream);
            LineWriter lines = new(compressor, block);
            foreach (BundleWaiter entry in entries)
            {
                cancellationToken.ThrowIfCancellationRequested();
                WriteLine(ref lines, entry.Body.Span);
            }

            lines.Flush();
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(block);
        }

        if (compression == BundleCompression.Gzip)
        {
            content.WrittenSpan[OsOffset] = AnyOs;
        }
    }

    /// <summary>A stream of the bundle's lines; disposes <paramref name="bundle"/>.</summary>
    public static Stream Decompress(BundleCompression compression, Stream bundle) =>
        compression == BundleCompression.Zstd ? new DecompressionStream(bundle, leaveOpen: false) : new GZipStream(bundle, CompressionMode.Decompress);

    private static Stream Compress(BundleCompression compression, Stream stream)
    {
        if (compression == BundleCompression.Gzip)
        {
            return new GZipStream(stream, Gzip);
        }

        CompressionStream zstd = new(stream, ZstdLevel);
        zstd.SetParameter(ZSTD_cParameter.ZSTD_c_checksumFlag, 1);
        return zstd;
    }

    private static void WriteLine(ref LineWriter lines, ReadOnlySpan<byte> body)
    {
        if (body.StartsWith(ByteOrderMark))
        {
            body = body[ByteOrderMark.Length..];
        }

        // JSON strings cannot contain them unescaped, so they are formatting. In UTF-8 no byte of a longer sequence equals them.
        for (int at = body.IndexOfAny((byte)'\r', (byte)'\n'); at >= 0; at = body.IndexOfAny((byte)'\r', (byte)'\n'))
        {
            lines.Write(body[..at]);
            lines.Write(" "u8);
            body = body[(at + 1)..];
        }

        lines.Write(body);
        lines.Write("\n"u8);
    }

    /// <summary>Collects lines in a block for the compressor.</summary>
    private ref struct LineWriter(Stream compressor, Span<byte> block)
    {
        private readonly Span<byte> _block = block;
        private int _length;

        public void Write(ReadOnlySpan<byte> bytes)
        {
            if (bytes.Length > _block.Length - _length)
            {
                Flush();
            }

            if (bytes.Length > _block.Length)
            {
                compressor.Write(bytes);
                return;
            }

            bytes.CopyTo(_block[_length..]);
            _length += bytes.Length;
        }

        public void Flush()
        {
            compressor.Write(_block[.._length]);
            _length = 0;
        }
    }
}

/// <summary>A write-only stream over a pooled buffer, which the caller owns.</summary>
internal sealed class BufferStream(PooledBuffer buffer) : Stream
{
    public override bool CanRead => false;

    public override bool CanSeek => false;

    public override bool CanWrite => true;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    public override void Write(byte[] buffer, int offset, int count) => Write(buffer.AsSpan(offset, count));

    public override void Write(ReadOnlySpan<byte> bytes) => buffer.Append(bytes);

    public override void Flush()
    {
    }

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();
}

/// <summary>
/// The compression ratio of a route's bundles: an average weighted by size, in which older bundles count less. Guarded by the lock of
/// <see cref="BundleBudget"/>.
/// </summary>
internal sealed class CompressionRatio
{
    // The initial assumption, with the weight of a bundle of 64 KiB: both formats reduce JSON events to a quarter or less.
    private const double Assumed = 0.25;
    private const double AssumedBytes = 64 << 10;

    // The weight of a bundle after each later one; about the last ten matter.
    private const double Fading = 0.8;

    private double _raw = AssumedBytes;
    private double _compressed = AssumedBytes * Assumed;

    public long Estimate(long rawBytes) => (long)(rawBytes * (_compressed / _raw));

    public void Learn(long rawBytes, long compressedBytes)
    {
        _raw = (_raw * Fading) + rawBytes;
        _compressed = (_compressed * Fading) + compressedBytes;
    }
}
