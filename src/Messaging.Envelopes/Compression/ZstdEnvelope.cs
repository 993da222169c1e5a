using System.Globalization;
using Quayside.Messaging.Unwrapping;
using ZstdSharp;
using ZstdSharp.Unsafe;

namespace Quayside.Messaging.Envelopes.Compression;

/// <summary>Zstandard (RFC 8878), of one or more frames, with windows up to the 8 MiB that every decoder has to support.</summary>
internal sealed class ZstdEnvelope : IEnvelope
{
    public const string NotZstdReason = "not-zstd";
    public const string DamagedReason = "zstd-damaged";

    private const int MaxWindowLog = 23;

    /// <summary>True for the beginning of such a body.</summary>
    public static bool IsMarked(ReadOnlySpan<byte> body) => body.StartsWith((ReadOnlySpan<byte>)[0x28, 0xB5, 0x2F, 0xFD]);

    public ValueTask UnwrapAsync(WrappedMessage message, CancellationToken cancellationToken)
    {
        Unwrap(message);
        return default;
    }

    private static void Unwrap(WrappedMessage message)
    {
        if (!IsMarked(message.Body.Span))
        {
            message.RefuseUnrecognized(NotZstdReason, "The body does not begin with the mark of Zstandard, 28 b5 2f fd: byte 0.");
            return;
        }

        BodyFeed feed = new(message.Body);
        using Decompressor decompressor = new();
        decompressor.SetParameter(ZSTD_dParameter.ZSTD_d_windowLogMax, MaxWindowLog);
        string fault;
        try
        {
            using DecompressionStream stream = new(feed, decompressor, checkEndOfStream: true);
            InflationResult result = Inflation.Read(stream, message);
            if (result == InflationResult.Whole)
            {
                message.SetContent(message.Buffer.WrittenMemory);
                return;
            }

            if (result == InflationResult.TooLarge)
            {
                message.RefuseTooLarge();
                return;
            }

            fault = "is damaged";
        }
        catch (ZstdException exception)
        {
            fault = $"is damaged ({exception.Message})";
        }
        catch (EndOfStreamException)
        {
            fault = "is cut off";
        }

        message.Refuse(DamagedReason, string.Create(CultureInfo.InvariantCulture, $"The data {fault}: {message.Buffer.Length} bytes were decompressed from {message.Body.Length}, of which {feed.Left} were not read."));
    }
}
