namespace Messaging.Sinks.Bundles;

/// <summary>
/// The compression ratio of a route's bundles: an average weighted by size, in which older bundles count less. Guarded by the lock of
/// <see cref="BundleBudget"/>.
/// </summary>
internal sealed class CompressionRatio
{
    // The initial assumption, with the weight of a bundle of 64 KiB: gzip reduces JSON events to a quarter or less.
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
