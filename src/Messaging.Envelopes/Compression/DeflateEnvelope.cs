using System.Buffers.Binary;
using System.Globalization;
using Quayside.Messaging.Unwrapping;

namespace Quayside.Messaging.Envelopes.Compression;

/// <summary>Deflate as HTTP means it, with zlib's header and checksum (RFC 1950), or without, as many senders understand it (RFC 1951).</summary>
internal sealed class DeflateEnvelope : IEnvelope
{
    public const string DamagedReason = "deflate-damaged";

    private const int HeaderLength = 2;
    private const int ChecksumLength = 4;

    public ValueTask UnwrapAsync(WrappedMessage message, CancellationToken cancellationToken)
    {
        Unwrap(message);
        return default;
    }

    private static void Unwrap(WrappedMessage message)
    {
        ReadOnlyMemory<byte> body = message.Body;
        bool isZlib = IsZlib(body.Span);
        ReadOnlyMemory<byte> data = isZlib ? body[HeaderLength..^ChecksumLength] : body;
        InflationResult result = Inflation.Run(message, data, out int left);
        bool fits = left == 0 && (!isZlib || BinaryPrimitives.ReadUInt32BigEndian(body.Span[^ChecksumLength..]) == ChecksumOf(message.Buffer.WrittenSpan));
        switch (result)
        {
            case InflationResult.TooLarge:
                message.RefuseTooLarge();
                return;
            case InflationResult.Whole when fits:
                message.SetContent(message.Buffer.WrittenMemory);
                return;
            default:
                string fault = result == InflationResult.CutOff ? "is cut off" : result == InflationResult.Whole && left > 0 ? "is followed by other bytes" : "or its checksum is damaged";
                message.RefuseUnrecognized(DamagedReason, string.Create(CultureInfo.InvariantCulture, $"The deflate data {fault}: {message.Buffer.Length} bytes were decompressed from {body.Length}."));
                return;
        }
    }

    private static uint ChecksumOf(ReadOnlySpan<byte> content)
    {
        Adler32 checksum = new();
        checksum.Append(content);
        return checksum.Value;
    }

    // The method is deflate, the window at most 32 KiB, there is no dictionary, and the two bytes are a multiple of 31.
    private static bool IsZlib(ReadOnlySpan<byte> body) =>
        body.Length > HeaderLength + ChecksumLength && (body[0] & 0x8F) == 8 && (body[1] & 0x20) == 0 && BinaryPrimitives.ReadUInt16BigEndian(body) % 31 == 0;
}
