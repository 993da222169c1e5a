using System.Diagnostics.Metrics;

namespace Harness.Recording;

/// <summary>Counts the durations that the worker reports, in ten buckets per decade. Threads: any; a measurement allocates nothing.</summary>
internal sealed class LatencyCounter : IDisposable
{
    private const string Instrument = "messaging.process.duration";

    // From 1 µs to 1,000 s; the last bucket also has slower messages. The bounds are parsed, so that 5 ms is exactly the number written 0.005.
    private static readonly double[] Bounds =
    [
        .. Enumerable
            .Range(-6, 9)
            .SelectMany(decade => ((string[])["1", "1.25", "1.6", "2", "2.5", "3.2", "4", "5", "6.3", "8"]).Select(step => double.Parse($"{step}e{decade}"))),
        1_000,
    ];

    private readonly long[] _buckets = new long[Bounds.Length];
    private readonly MeterListener _listener = new();

    public LatencyCounter()
    {
        _listener.InstrumentPublished = static (instrument, listener) =>
        {
            if (instrument.Name == Instrument)
            {
                listener.EnableMeasurementEvents(instrument);
            }
        };
        _listener.SetMeasurementEventCallback<double>((_, seconds, _, _) => Add(seconds));
        _listener.Start();
    }

    public void Add(double seconds)
    {
        int index = Array.BinarySearch(Bounds, seconds);
        Interlocked.Increment(ref _buckets[Math.Min(index < 0 ? ~index : index, Bounds.Length - 1)]);
    }

    /// <summary>The buckets from the first to the last that is not empty.</summary>
    public IReadOnlyList<LatencyBucket> ToBuckets()
    {
        int first = Array.FindIndex(_buckets, count => count > 0);
        return first < 0
            ? []
            : [.. Enumerable
                .Range(first, Array.FindLastIndex(_buckets, count => count > 0) - first + 1)
                .Select(i => new LatencyBucket(Bounds[i], _buckets[i]))];
    }

    public void Dispose() => _listener.Dispose();
}
