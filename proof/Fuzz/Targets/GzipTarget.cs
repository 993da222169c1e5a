using System.IO.Compression;
using Proof.Models;
using Quayside.Messaging.CloudFront.Gzip;

namespace Proof.Fuzz.Targets;

/// <summary>
/// Gzip: accepted content is what <see cref="GZipStream"/> reads, and its last member matches the checksum and the length at the object's end.
/// </summary>
internal sealed class GzipTarget : FuzzTarget
{
    private static readonly GzipLimits Limits = new(MaxBytes: 1 << 20, MaxRatio: 200);
    // With a small buffer, so that large content ends after a few reads.
    private static readonly GzipLimits Small = Limits with { MaxBytes = 300 };

    private readonly byte[] _buffer = new byte[64 * 1024];

    public override IReadOnlyList<byte[]> Corpus { get; } =
    [
        Gzip.Compress("#Version: 1.0\n"), [.. Gzip.Compress("one"), .. Gzip.Compress("two")], Gzip.Compress(string.Empty),
        Gzip.Compress(new string('x', 100_000)),
        [.. Gzip.Compress("a"), 0], [.. Gzip.Compress("truncated")[..^3]], Gzip.Compress(new string('y', 2 << 20)), [], [0x1F],
    ];

    public override IReadOnlyList<byte[]> Dictionary { get; } =
        [Gzip.Compress("d"), Gzip.Compress(string.Empty), [0x1F, 0x8B], [0x1F, 0x8B, 8], [0, 0, 0, 0], [3, 0], [0xFF, 0xFF, 0xFF, 0xFF], [8], [0x10, 0x41, 0]];

    public override int Run(ReadOnlyMemory<byte> input)
    {
        byte[] compressed = input.ToArray();
        uint hash = Hash(compressed);
        bool isSmall = hash % 4 == 0;
        GzipLimits limits = isSmall ? Small : Limits;
        Memory<byte> buffer = _buffer.AsMemory(0, isSmall ? 17 + (int)(hash % 64) : _buffer.Length);
        long length = (hash % 7) switch { 0 => -1, 1 => compressed.Length + 1, _ => compressed.Length };
        using MemoryStream source = new(compressed);
        using GzipReader reader = new(source, length, limits);
        using MemoryStream content = new();
        GzipRead read;
        try
        {
            while ((read = reader.ReadAsync(buffer, CancellationToken.None).AsTask().GetAwaiter().GetResult()).Count > 0)
            {
                content.Write(buffer.Span[..read.Count]);
            }
        }
        catch (EndOfStreamException) when (length > compressed.Length)
        {
            return -1;
        }

        FuzzException.ThrowUnless(length <= compressed.Length || read.Fault is not null, "Accepted, although it has fewer bytes than announced");
        if (read.Fault is null)
        {
            Check(compressed, content.ToArray(), limits);
        }

        return HashCode.Combine(read.Fault, Scale((int)content.Length));
    }

    private static void Check(byte[] compressed, byte[] content, GzipLimits limits)
    {
        FuzzException.ThrowUnless(compressed.Length >= 18 && content.Length <= limits.MaxBytes, "Accepted, although too short or too large");
        using GZipStream gzip = new(new MemoryStream(compressed), CompressionMode.Decompress);
        using MemoryStream expected = new();
        gzip.CopyTo(expected);
        FuzzException.ThrowUnless(expected.ToArray().AsSpan().SequenceEqual(content), "The content is not what the runtime reads");
        uint length = BitConverter.ToUInt32(compressed, compressed.Length - 4);
        FuzzException.ThrowUnless(length <= content.Length, $"The trailer says {length} bytes, more than the content has");
        FuzzException.ThrowIfDifferent(
            BitConverter.ToUInt32(compressed, compressed.Length - 8), Crc32(content.AsSpan(content.Length - (int)length)), "checksum");
    }

    private static uint Crc32(ReadOnlySpan<byte> bytes)
    {
        uint crc = uint.MaxValue;
        foreach (byte value in bytes)
        {
            crc ^= value;
            for (int bit = 0; bit < 8; bit++)
            {
                crc = (crc >> 1) ^ (0xEDB88320 & (0 - (crc & 1)));
            }
        }

        return ~crc;
    }
}
