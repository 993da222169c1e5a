using System.IO.Compression;
using Quayside.Messaging.Unwrapping;
using Quayside.Pipeline.Buffers;

namespace Quayside.Messaging.Envelopes.Compression;

/// <summary>Decompresses deflate data (RFC 1951), of which the runtime does not say where it ends or that it is cut off.</summary>
internal static class Inflation
{
    private const int Step = 4_096;

    /// <summary>Appends the decompressed bytes to the message's buffer, but not many more than the message may have.</summary>
    /// <param name="message">Its buffer receives the bytes.</param>
    /// <param name="compressed">Deflate data, and perhaps more.</param>
    /// <param name="left">The last byte, 1, or 0 if it belongs to the data.</param>
    public static InflationResult Run(EnvelopeReading message, ReadOnlyMemory<byte> compressed, out int left)
    {
        BodyFeed feed = new(compressed);
        using DeflateStream deflate = new(feed, CompressionMode.Decompress);
        InflationResult result = Read(deflate, message);
        left = feed.Left;
        return result == InflationResult.Whole && feed.IsExhausted ? InflationResult.CutOff : result;
    }

    private static InflationResult Read(DeflateStream deflate, EnvelopeReading message)
    {
        PooledBuffer buffer = message.Buffer;
        try
        {
            int count;
            while ((count = deflate.Read(buffer.GetSpan(Step))) > 0)
            {
                buffer.Advance(count);
                if (buffer.Length > message.MaxBytes)
                {
                    return InflationResult.TooLarge;
                }
            }

            return InflationResult.Whole;
        }
        catch (InvalidDataException)
        {
            return InflationResult.Damaged;
        }
    }
}

/// <summary>How decompressing ended.</summary>
internal enum InflationResult
{
    /// <summary>It did not.</summary>
    None = 0,

    /// <summary>At the end of the data.</summary>
    Whole,

    /// <summary>The data has no end.</summary>
    CutOff,

    /// <summary>It is no such data.</summary>
    Damaged,

    /// <summary>There is more than the message may have.</summary>
    TooLarge,
}
