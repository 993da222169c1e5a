namespace Quayside.Messaging.Http.Web.Metrics;

/// <summary>The values of one metric for one set of attributes. Threads: any.</summary>
internal class MetricSeries(KeyValuePair<string, object?>[] attributes)
{
    private double _value;

    public KeyValuePair<string, object?>[] Attributes { get; } = attributes;

    /// <summary>The collection that last set the value; a series that is no longer set is removed.</summary>
    public long Collection { get; set; }

    public double Value => Volatile.Read(ref _value);

    /// <summary>The value of an attribute as text; null where the series has no such attribute.</summary>
    public string? this[string attribute] => Array.Find(Attributes, pair => pair.Key == attribute).Value?.ToString();

    public bool Has(ReadOnlySpan<KeyValuePair<string, object?>> attributes)
    {
        if (attributes.Length != Attributes.Length)
        {
            return false;
        }

        for (int i = 0; i < attributes.Length; i++)
        {
            if (attributes[i].Key != Attributes[i].Key || !Equals(attributes[i].Value, Attributes[i].Value))
            {
                return false;
            }
        }

        return true;
    }

    public void Set(double value) => Volatile.Write(ref _value, value);

    public void Add(double value)
    {
        double seen;
        do
        {
            seen = Volatile.Read(ref _value);
        }
        while (Interlocked.CompareExchange(ref _value, seen + value, seen) != seen);
    }
}

/// <summary>
/// A histogram for one set of attributes: counts per boundary of the instrument for Prometheus, and finer counts, an eighth of a power of two wide, for
/// percentiles. Its <see cref="MetricSeries.Value"/> is the sum. Threads: any.
/// </summary>
internal sealed class HistogramSeries(KeyValuePair<string, object?>[] attributes, double[] boundaries) : MetricSeries(attributes)
{
    private const int StepBits = 3;
    private const int Steps = 1 << StepBits;

    // In billionths: nanoseconds for values in seconds. The last bucket is above 4 hours.
    private const double Scale = 1e9;
    private const int FineBuckets = 44 * Steps;

    private readonly long[] _counts = new long[boundaries.Length + 1];
    private readonly long[] _fine = new long[FineBuckets];

    /// <summary>Upper bounds of the counts, ascending; the last count has none.</summary>
    public double[] Boundaries { get; } = boundaries;

    public void Record(double value)
    {
        int bucket = 0;
        while (bucket < Boundaries.Length && value > Boundaries[bucket])
        {
            bucket++;
        }

        Interlocked.Increment(ref _counts[bucket]);
        Interlocked.Increment(ref _fine[FineBucketOf(value)]);
        Add(value);
    }

    /// <summary>A copy of the counts, not cumulative.</summary>
    public long[] Counts() => [.. _counts.Select((_, i) => Volatile.Read(ref _counts[i]))];

    /// <summary>A copy of the finer counts, for <see cref="Percentile"/>.</summary>
    public long[] FineCounts() => [.. _fine.Select((_, i) => Volatile.Read(ref _fine[i]))];

    /// <summary>A percentile of the values recorded between two copies, with an error of at most 6 %.</summary>
    /// <param name="before">The earlier copy; null for none.</param>
    /// <param name="after">The later one.</param>
    /// <param name="fraction">0.5 is the median.</param>
    /// <returns>Null when nothing was recorded between them.</returns>
    public static double? Percentile(long[]? before, long[] after, double fraction)
    {
        long total = 0;
        for (int i = 0; i < after.Length; i++)
        {
            total += after[i] - (before?[i] ?? 0);
        }

        if (total <= 0)
        {
            return null;
        }

        long rank = Math.Max(1, (long)Math.Ceiling(total * fraction));
        int bucket = -1;
        for (long seen = 0; seen < rank;)
        {
            bucket++;
            seen += after[bucket] - (before?[bucket] ?? 0);
        }

        return (LowerBound(bucket) + LowerBound(bucket + 1)) / 2 / Scale;
    }

    private static int FineBucketOf(double value)
    {
        ulong scaled = (ulong)Math.Clamp(value * Scale, 0, 1L << 46);
        if (scaled < Steps)
        {
            return (int)scaled;
        }

        int exponent = 63 - System.Numerics.BitOperations.LeadingZeroCount(scaled);
        int step = (int)(scaled >> (exponent - StepBits)) - Steps;
        return Math.Min(((exponent - StepBits + 1) * Steps) + step, FineBuckets - 1);
    }

    private static double LowerBound(int bucket)
    {
        (int exponent, int step) = Math.DivRem(bucket, Steps);
        return exponent == 0 ? step : (Steps + step) * Math.Pow(2, exponent - 1);
    }
}
