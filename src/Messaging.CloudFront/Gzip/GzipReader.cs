using System.IO.Compression;
using System.Runtime.CompilerServices;
using Quayside.Messaging.CloudFront.Rows;
using Quayside.Messaging.Gzip;
using Quayside.Pipeline.Frames;

namespace Quayside.Messaging.CloudFront.Gzip;

/// <summary>
/// Decompresses an object of one or more gzip members, and detects objects that are truncated, damaged, followed by other data, or too
/// large. The runtime's stream checks each member's CRC-32 and length but accepts a truncated object; the seal after the object's
/// bytes detects truncation. Bytes that were returned precede the fault. But a member's checksum is at its end: only the verified
/// end of the object confirms them. Threads: one at a time.
/// </summary>
internal sealed class GzipReader : IDisposable
{
    private readonly SealedGzipFeed _feed;
    private readonly GZipStream _members;
    private readonly GzipLimits _limits;
    private readonly bool _isTooLarge;
    private long _read;

    /// <param name="source">The object's bytes. Borrowed.</param>
    /// <param name="length">The expected number of bytes; -1 when unknown. Fewer throw <see cref="EndOfStreamException"/>: a fault of the transport.</param>
    /// <param name="limits">The limits of decompression.</param>
    public GzipReader(Stream source, long length, GzipLimits limits)
    {
        _feed = new SealedGzipFeed(source, length);
        _members = new GZipStream(_feed, CompressionMode.Decompress);
        _limits = limits;
        _isTooLarge = length > limits.MaxBytes;
    }

    /// <summary>Compressed bytes read so far.</summary>
    public long Taken => _feed.Taken;

    /// <summary>The decompressed seal, in which no object ends by chance.</summary>
    internal static ReadOnlyMemory<byte> Seal => GzipSeal.Content;

    /// <summary>Reads more of the decompressed bytes.</summary>
    /// <param name="buffer">Receives the bytes; must be larger than the seal's content.</param>
    /// <param name="cancellationToken">Ends the wait; the reader cannot be used afterwards.</param>
    /// <exception cref="IOException">The source failed.</exception>
    [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder<>))]
    public async ValueTask<GzipRead> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken)
    {
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(buffer.Length, Seal.Length, nameof(buffer));
        if (_isTooLarge)
        {
            // Gzip hardly enlarges any data, so the log is too large as well. And an object of a million empty members would be read without output.
            return new GzipRead(0, LogFault.TooLarge);
        }

        int total;
        try
        {
            total = await _members.ReadAsync(buffer, cancellationToken);
            if (!_feed.IsSealTaken)
            {
                return Check(total);
            }

            // The decompressor reads input only after it has returned all its output, so from here on the seal's content must follow,
            // complete and alone.
            for (int count = total; count > 0 && total <= Seal.Length; total += count)
            {
                count = await _members.ReadAsync(buffer[total..], cancellationToken);
            }
        }
        catch (InvalidDataException)
        {
            return Damaged();
        }

        bool isWhole = buffer.Span[..total].SequenceEqual(Seal.Span);
        return new GzipRead(0, _feed.Taken == 0 ? LogFault.NotGzip : isWhole ? null : LogFault.GzipTruncated);
    }

    public void Dispose() => _members.Dispose();

    private GzipRead Check(int count)
    {
        _read += count;
        return count switch
        {
            // It stopped before it had read the object's last bytes or the seal.
            0 => new GzipRead(0, LogFault.GzipTrailingData),
            _ when _read > _limits.MaxBytes || _feed.Taken > _limits.MaxBytes => new GzipRead(0, LogFault.TooLarge),
            _ when _read > GzipLimits.RatioFloor && _read > _feed.Taken * _limits.MaxRatio => new GzipRead(0, LogFault.RatioTooHigh),
            _ => new GzipRead(count),
        };
    }

    private GzipRead Damaged() => new(0, (_feed.MayBeGzip, _feed.IsSealTaken) switch
    {
        (false, _) => LogFault.NotGzip,
        (_, true) => LogFault.GzipTruncated,
        _ => LogFault.GzipCorrupt,
    });
}

/// <summary>The result of one read.</summary>
/// <param name="Count">Bytes read; 0 without a fault is the verified end of the last member.</param>
/// <param name="Fault">What is wrong with the object; after a fault nothing more can be read.</param>
internal readonly record struct GzipRead(int Count, string? Fault = null);

/// <summary>The limits of decompressing one object.</summary>
/// <param name="MaxBytes">Maximum of decompressed bytes, and of compressed ones.</param>
/// <param name="MaxRatio">Maximum of decompressed bytes per compressed byte, checked beyond <see cref="RatioFloor"/>.</param>
internal readonly record struct GzipLimits(long MaxBytes, int MaxRatio)
{
    /// <summary>
    /// 4 MiB take about a millisecond to decompress. A small log of one client's equal requests may legitimately compress better than a
    /// <see cref="MaxRatio"/> that was lowered.
    /// </summary>
    public const long RatioFloor = 4L << 20;
}
