namespace Messaging.CloudFront.Gzip;

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
