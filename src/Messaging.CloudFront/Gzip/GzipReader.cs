using System.IO.Compression;
using System.Runtime.CompilerServices;
using Pipeline.Frames;

namespace Messaging.CloudFront.Gzip;

/// <summary>
/// Decompresses an object of one or more gzip members and tells a whole one from one that is truncated, damaged, followed by
/// something else, or too large. The runtime's own stream checks each member's CRC-32 and length and takes a truncated object for
/// complete; the seal behind the object's bytes finds that out. Bytes that were handed out come from before the fault, but a
/// member's checksum stands at its end: only the verified end says that all of them were right. Threads: one at a time.
/// </summary>
internal sealed class GzipReader : IDisposable
{
    private readonly SealedGzipFeed _feed;
    private readonly GZipStream _members;
    private readonly GzipLimits _limits;
    private readonly bool _isTooLarge;
    private long _read;

    /// <param name="source">The object's bytes. Borrowed.</param>
    /// <param name="length">How many there must be; -1 when unknown. Fewer throw <see cref="EndOfStreamException"/>: the transport's fault.</param>
    /// <param name="limits">What it may cost.</param>
    public GzipReader(Stream source, long length, GzipLimits limits)
    {
        _feed = new SealedGzipFeed(source, length);
        _members = new GZipStream(_feed, CompressionMode.Decompress);
        _limits = limits;
        _isTooLarge = length > limits.MaxBytes;
    }

    /// <summary>Compressed bytes taken so far.</summary>
    public long Taken => _feed.Taken;

    /// <summary>Reads more of the decompressed bytes.</summary>
    /// <param name="buffer">Where to; larger than the seal's content.</param>
    /// <param name="cancellationToken">Ends the waiting; then the reader cannot be used any more.</param>
    /// <exception cref="IOException">The source failed.</exception>
    [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder<>))]
    public async ValueTask<GzipRead> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken)
    {
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(buffer.Length, GzipSeal.Content.Length, nameof(buffer));
        if (_isTooLarge)
        {
            // Gzip makes nothing larger worth mentioning, and an object of a million empty members would be read without ever giving a byte.
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

            // The decompressor asks for input only when it has handed out all it had, so from here on the seal's content must come, all
            // of it and nothing else.
            for (int count = total; count > 0 && total <= GzipSeal.Content.Length; total += count)
            {
                count = await _members.ReadAsync(buffer[total..], cancellationToken);
            }
        }
        catch (InvalidDataException)
        {
            return Damaged();
        }

        return new GzipRead(0, _feed.Taken == 0 ? LogFault.NotGzip : buffer.Span[..total].SequenceEqual(GzipSeal.Content.Span) ? LogFault.None : LogFault.GzipTruncated);
    }

    public void Dispose() => _members.Dispose();

    private GzipRead Check(int count)
    {
        _read += count;
        return count switch
        {
            // It stopped by itself, with the object's bytes not used up or the seal not wanted.
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

/// <summary>The outcome of one read.</summary>
/// <param name="Count">Bytes read; 0 without a fault is the verified end of the last member.</param>
/// <param name="Fault">What is wrong with the object; then nothing more can be read.</param>
internal readonly record struct GzipRead(int Count, LogFault Fault = LogFault.None);

/// <summary>What decompressing one object may cost.</summary>
/// <param name="MaxBytes">Bytes after decompression; the object itself may not have more either.</param>
/// <param name="MaxRatio">Decompressed bytes a compressed one, looked at from <see cref="RatioFloor"/> on.</param>
internal readonly record struct GzipLimits(long MaxBytes, int MaxRatio)
{
    /// <summary>
    /// 4 MiB: so little is decompressed in about a millisecond, and a small log of one client's equal requests may well compress better
    /// than <see cref="MaxRatio"/> (deflate ends at 1,032:1).
    /// </summary>
    public const long RatioFloor = 4L << 20;
}
