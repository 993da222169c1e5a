using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using Messaging.Telemetry;

namespace Messaging.Http.Web.Metrics;

/// <summary>
/// Keeps the values of the worker's and the runtime's instruments, the same as OTLP exports, for <c>/metrics</c> and the page. Counters count from the start;
/// they cover rare events, while frequent ones are observable and read on collection. Histograms cost time per message, so they are kept only from the first
/// <see cref="Look"/> until <see cref="LookTime"/> after the last. Threads: any.
/// </summary>
internal sealed class MetricStore : IDisposable
{
    /// <summary>How long histograms are kept after the last <see cref="Look"/>.</summary>
    public static readonly TimeSpan LookTime = TimeSpan.FromMinutes(15);

    private static readonly string[] Meters = [RouteMetrics.SourceName, "System.Runtime"];

    // The runtime declares these as counters, but their values rise and fall.
    private static readonly string[] FallingCounters = ["dotnet.thread_pool.queue.length", "dotnet.thread_pool.thread.count"];

    private readonly ConcurrentDictionary<string, MetricFamily> _families = new(StringComparer.Ordinal);
    private readonly TimeProvider _time;
    private readonly Lock _gate = new();
    private readonly MeterListener _listener;
    private MeterListener? _histograms;
    private long _lookedAt;
    private long _collection;
    private bool _isDisposed;

    public MetricStore(TimeProvider time)
    {
        _time = time;
        _listener = Listen(static kind => kind != MetricKind.Histogram);
    }

    /// <summary>Every known metric, by name.</summary>
    public IReadOnlyList<MetricFamily> Families => [.. _families.Values.OrderBy(family => family.Name, StringComparer.Ordinal)];

    /// <summary>The series of a metric; none while nothing was measured.</summary>
    public IReadOnlyList<MetricSeries> SeriesOf(string name) => _families.TryGetValue(name, out MetricFamily? family) ? family.Series : [];

    /// <summary>Starts or prolongs the recording of histograms.</summary>
    public void Look()
    {
        lock (_gate)
        {
            _lookedAt = _time.GetTimestamp();
            if (_histograms is null && !_isDisposed)
            {
                _histograms = Listen(static kind => kind == MetricKind.Histogram);
            }
        }
    }

    /// <summary>Reads the observable instruments.</summary>
    public void Collect()
    {
        lock (_gate)
        {
            if (_isDisposed)
            {
                return;
            }

            _collection++;
            try
            {
                _listener.RecordObservableInstruments();
            }
            catch (AggregateException)
            {
                // An instrument could not be read, such as one of a route that ends; the others were.
            }

            foreach (MetricFamily family in _families.Values.Where(family => family.Series.Any(series => series.Collection != 0)))
            {
                family.Forget(_collection);
            }

            if (_histograms is not null && _time.GetElapsedTime(_lookedAt) > LookTime)
            {
                _histograms.Dispose();
                _histograms = null;
            }
        }
    }

    public void Dispose()
    {
        lock (_gate)
        {
            _isDisposed = true;
            _listener.Dispose();
            _histograms?.Dispose();
        }
    }

    private static MetricKind KindOf(Instrument instrument)
    {
        Type type = instrument.GetType().GetGenericTypeDefinition();
        return type == typeof(Histogram<>) ? MetricKind.Histogram
            : Array.IndexOf(FallingCounters, instrument.Name) >= 0 ? MetricKind.Gauge
            : type == typeof(Counter<>) || type == typeof(ObservableCounter<>) ? MetricKind.Counter
            : MetricKind.Gauge;
    }

    private static void Take(Instrument instrument, double value, ReadOnlySpan<KeyValuePair<string, object?>> attributes, object? state)
    {
        (MetricStore store, MetricFamily family) = (State)state!;
        MetricSeries series = family.Find(attributes);
        if (series is HistogramSeries histogram)
        {
            histogram.Record(value);
        }
        else if (instrument.IsObservable)
        {
            series.Collection = store._collection;
            series.Set(value);
        }
        else if (instrument is Gauge<int> or Gauge<long> or Gauge<double>)
        {
            series.Set(value);
        }
        else
        {
            series.Add(value);
        }
    }

    private static double[] BoundariesOf(Instrument instrument) => instrument switch
    {
        Histogram<double> { Advice.HistogramBucketBoundaries: { } given } => [.. given],
        Histogram<long> { Advice.HistogramBucketBoundaries: { } given } => [.. given.Select(static boundary => (double)boundary)],

        // The default boundaries of the SDK.
        _ => [0, 5, 10, 25, 50, 75, 100, 250, 500, 750, 1_000, 2_500, 5_000, 7_500, 10_000],
    };

    private MeterListener Listen(Func<MetricKind, bool> isWanted)
    {
        MeterListener listener = new()
        {
            InstrumentPublished = (instrument, self) =>
            {
                if (Array.IndexOf(Meters, instrument.Meter.Name) >= 0 && KindOf(instrument) is var kind && isWanted(kind))
                {
                    // Instruments with the same name, such as one per route, are one metric.
                    MetricFamily family = _families.GetOrAdd(instrument.Name, _ => new MetricFamily(instrument, kind, BoundariesOf(instrument)));
                    self.EnableMeasurementEvents(instrument, new State(this, family));
                }
            },
        };
        listener.SetMeasurementEventCallback<double>(Take);
        listener.SetMeasurementEventCallback<long>(static (instrument, value, attributes, state) => Take(instrument, value, attributes, state));
        listener.SetMeasurementEventCallback<int>(static (instrument, value, attributes, state) => Take(instrument, value, attributes, state));
        listener.Start();
        return listener;
    }

    private sealed record State(MetricStore Store, MetricFamily Family);
}
