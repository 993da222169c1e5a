using System.Globalization;
using System.IO.Compression;
using System.Runtime.InteropServices;
using Quayside.Messaging.Gzip;
using Quayside.Messaging.Unwrapping;
using Quayside.Pipeline.Buffers;

namespace Quayside.Messaging.Envelopes.Compression;

/// <summary>
/// Gzip (RFC 1952) of one or more members. Checksums, lengths and the end are verified: a body that is cut off or followed by other bytes is refused.
/// The runtime does not report these two; the seal behind the body comes out, complete, only where the body ends at the end of a member.
/// </summary>
internal sealed class GzipEnvelope : IEnvelope
{
    public const string NotGzipReason = "not-gzip";
    public const string DamagedReason = "gzip-damaged";

    private const int Step = 4_096;

    /// <summary>True for the beginning of such a body.</summary>
    public static bool IsMarked(ReadOnlySpan<byte> body) => body.StartsWith((ReadOnlySpan<byte>)[0x1F, 0x8B]);

    public ValueTask UnwrapAsync(EnvelopeReading message, CancellationToken cancellationToken)
    {
        Unwrap(message);
        return default;
    }

    private static void Unwrap(EnvelopeReading message)
    {
        ReadOnlySpan<byte> body = message.Body.Span;
        if (!IsMarked(body))
        {
            message.RefuseUnrecognized(NotGzipReason, "The body does not begin with gzip's 1f 8b: byte 0.");
            return;
        }

        using PooledBuffer sealedBody = BufferPool.Shared.Rent(body.Length + GzipSeal.Member.Length);
        sealedBody.Append(body);
        sealedBody.Append(GzipSeal.Member.Span);
        MemoryMarshal.TryGetArray(sealedBody.WrittenMemory, out ArraySegment<byte> bytes);
        using GZipStream members = new(new MemoryStream(bytes.Array!, bytes.Offset, bytes.Count, writable: false), CompressionMode.Decompress);
        PooledBuffer content = message.Buffer;
        ReadOnlySpan<byte> seal = GzipSeal.Content.Span;
        bool isValid = true;
        try
        {
            int count;
            while ((count = members.Read(content.GetSpan(Step))) > 0)
            {
                content.Advance(count);
                if (content.Length > message.MaxBytes + seal.Length)
                {
                    message.RefuseTooLarge();
                    return;
                }
            }
        }
        catch (InvalidDataException)
        {
            isValid = false;
        }

        if (isValid && content.WrittenSpan.EndsWith(seal))
        {
            content.Truncate(content.Length - seal.Length);
            message.SetContent(content.WrittenMemory);
        }
        else
        {
            message.Refuse(
                DamagedReason,
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"The body of {body.Length} bytes is cut off, a header, the data or a checksum is damaged, or other bytes follow its last member."));
        }
    }
}
