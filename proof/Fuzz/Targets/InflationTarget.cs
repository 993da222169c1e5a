using System.IO.Compression;
using Quayside.Messaging.Envelopes.Compression;
using Quayside.Messaging.Unwrapping;
using ZstdSharp;

namespace Proof.Fuzz.Targets;

/// <summary>Deflate beside the runtime's streams, and Zstandard beside the decompressor of whole frames; every input, compressed, is itself again.</summary>
/// <param name="isZstd">True for Zstandard.</param>
internal sealed class InflationTarget(bool isZstd) : FuzzTarget
{
    private readonly IEnvelope _envelope = isZstd ? new ZstdEnvelope() : new DeflateEnvelope();

    public override int Slowness => 5;

    public override IReadOnlyList<Type> Parser { get; } = [isZstd ? typeof(ZstdEnvelope) : typeof(DeflateEnvelope), typeof(Inflation), typeof(BodyFeed), .. isZstd ? (Type[])[] : [typeof(DeflateEnvelope).Assembly.GetType("Quayside.Messaging.Envelopes.Compression.Adler32", throwOnError: true)!]];

    public override IReadOnlyList<byte[]> Corpus { get; } = isZstd
        ? [[0x28, 0xB5, 0x2F, 0xFD, 0x20, 2, 17, 0, 0, 0x7B, 0x7D], Zstd("{}"u8), Zstd(new byte[100_000]), [.. Zstd("a"u8), .. Zstd("b"u8)]]
        : [[0x78, 0x9C, 0xAB, 0xAE, 0x05, 0x00, 0x01, 0x75, 0x00, 0xF9], [0xAB, 0xAE, 0x05, 0x00], Zlib("{}"u8), Zlib(new byte[100_000]), Raw("{}"u8), Raw(new byte[100_000])];

    public override IReadOnlyList<byte[]> Dictionary { get; } = [[0x78, 0x9C], [0x28, 0xB5, 0x2F, 0xFD], [0x50, 0x2A, 0x4D, 0x18], [1], [3, 0], [0], [0xFF], [0, 0, 0xFF, 0xFF]];

    public override int Run(ReadOnlyMemory<byte> input)
    {
        byte[] bytes = input.ToArray();
        Unwrapped result = Unwrapped.By(_envelope, input);
        if (result.IsAccepted)
        {
            FuzzException.ThrowUnless(result.Content.Length <= Unwrapped.MaxBytes, "the content is too large");
            FuzzException.ThrowUnless(Twin(bytes) is not { } expected || expected.AsSpan().SequenceEqual(result.Content), "the content is not what the twin reads");
        }

        if (isZstd)
        {
            Unwrapped.CheckRoundTrip("Zstandard", _envelope, Zstd(bytes), bytes);
        }
        else
        {
            Unwrapped.CheckRoundTrip("zlib", _envelope, Zlib(bytes), bytes);
            Unwrapped.CheckRoundTrip("deflate", _envelope, Raw(bytes), bytes);
        }

        return HashCode.Combine(result.Refusal, Scale(result.Content.Length));
    }

    /// <returns>Null where the twin cannot say.</returns>
    private byte[]? Twin(byte[] bytes)
    {
        try
        {
            if (isZstd)
            {
                using Decompressor decompressor = new();
                return decompressor.Unwrap(bytes, Unwrapped.MaxBytes).ToArray();
            }

            using MemoryStream expected = new();
            bool isZlib = bytes.Length > 6 && (bytes[0] & 0x8F) == 8 && (bytes[1] & 0x20) == 0 && ((bytes[0] << 8) | bytes[1]) % 31 == 0;
            using Stream stream = isZlib ? new ZLibStream(new MemoryStream(bytes), CompressionMode.Decompress) : new DeflateStream(new MemoryStream(bytes), CompressionMode.Decompress);
            stream.CopyTo(expected);
            return expected.ToArray();
        }
        catch (ZstdException)
        {
            return null;
        }
    }

    private static byte[] Zstd(ReadOnlySpan<byte> content)
    {
        using Compressor compressor = new();
        return compressor.Wrap(content).ToArray();
    }

    private static byte[] Zlib(ReadOnlySpan<byte> content) => Compress(content, static target => new ZLibStream(target, CompressionLevel.Fastest, leaveOpen: true));

    private static byte[] Raw(ReadOnlySpan<byte> content) => Compress(content, static target => new DeflateStream(target, CompressionLevel.Fastest, leaveOpen: true));

    // A stream that was given nothing writes nothing.
    private static byte[] Compress(ReadOnlySpan<byte> content, Func<Stream, Stream> open)
    {
        using MemoryStream compressed = new();
        using (Stream stream = open(compressed))
        {
            stream.Write(content);
        }

        return compressed.Length > 0 ? compressed.ToArray() : [3, 0];
    }
}
