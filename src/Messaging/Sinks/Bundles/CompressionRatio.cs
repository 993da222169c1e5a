namespace Messaging.Sinks.Bundles;

/// <summary>
/// How much smaller a route's bundles become, learned from the ones before; each counts by its size, older ones less and less.
/// Guarded by the lock of <see cref="BundleBudget"/>.
/// </summary>
internal sealed class CompressionRatio
{
    // Before anything is known: JSON events in gzip are a quarter or less, taken for as much as a first bundle of 64 KiB.
    private const double Assumed = 0.25;
    private const double AssumedBytes = 64 << 10;

    // What a bundle weighs after the next one: the last ten or so decide.
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
