using System.Diagnostics.Metrics;

namespace Quayside.Messaging.Http.Web.Metrics;

/// <summary>
/// The series of one metric, at most <see cref="MaxSeries"/>. Further ones share a series with the attribute <c>otel.metric.overflow</c>, so that untrusted
/// text in an attribute cannot exhaust the memory. Threads: any; finding a known series takes no lock and allocates nothing.
/// </summary>
internal sealed class MetricFamily(Instrument instrument, MetricKind kind, double[] boundaries, string? addedMeter = null)
{
    /// <summary>The maximum number of series of a metric.</summary>
    public const int MaxSeries = 200;

    // From the OpenTelemetry metrics SDK specification, "Cardinality limits".
    private static readonly KeyValuePair<string, object?>[] Overflow = [new("otel.metric.overflow", "true")];

    private readonly Lock _gate = new();

    // Immutable; replaced as a whole.
    private volatile MetricSeries[] _series = [];

    public string Name { get; } = instrument.Name;

    /// <summary>The name of its meter; null for the worker's and the runtime's own.</summary>
    public string? AddedMeter => addedMeter;

    /// <summary>Its name for Prometheus, without <c>_total</c>.</summary>
    public string ExposedName { get; } = PrometheusText.NameOf(instrument.Name, instrument.Unit);

    public string? Unit { get; } = instrument.Unit;

    public string? Description { get; } = instrument.Description;

    public MetricKind Kind => kind;

    public IReadOnlyList<MetricSeries> Series => _series;

    /// <summary>Finds the series with these attributes, or adds it.</summary>
    public MetricSeries Find(ReadOnlySpan<KeyValuePair<string, object?>> attributes)
    {
        foreach (MetricSeries series in _series)
        {
            if (series.Has(attributes))
            {
                return series;
            }
        }

        return Add(attributes);
    }

    /// <summary>Removes the series that the last collection did not set.</summary>
    public void Forget(long collection)
    {
        lock (_gate)
        {
            if (Array.Exists(_series, series => series.Collection != collection))
            {
                _series = [.. _series.Where(series => series.Collection == collection)];
            }
        }
    }

    private MetricSeries Add(ReadOnlySpan<KeyValuePair<string, object?>> attributes)
    {
        lock (_gate)
        {
            if (_series.Length > MaxSeries || (_series.Length == MaxSeries && !attributes.SequenceEqual(Overflow)))
            {
                return _series.Length > MaxSeries ? _series[^1] : Find(Overflow);
            }

            foreach (MetricSeries other in _series)
            {
                if (other.Has(attributes))
                {
                    return other;
                }
            }

            MetricSeries added = kind == MetricKind.Histogram ? new HistogramSeries(attributes.ToArray(), boundaries) : new MetricSeries(attributes.ToArray());
            _series = [.. _series, added];
            return added;
        }
    }
}

/// <summary>What a metric's values mean.</summary>
internal enum MetricKind
{
    /// <summary>A sum that only grows.</summary>
    Counter,

    /// <summary>A value that goes up and down.</summary>
    Gauge,

    /// <summary>Counts per range of values.</summary>
    Histogram,
}
