using System.Diagnostics.Metrics;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Http.Web.Metrics;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Http.Web.Metrics;

/// <summary>The instruments belong to the whole process, so each test uses its own route or instrument.</summary>
public sealed class MetricStoreTests : IDisposable
{
    private readonly ManualTimeProvider _time = new();
    private readonly MetricStore _store;
    private readonly Meter _meter = new(RouteMetrics.SourceName);
    private readonly string _name = $"test.{Guid.NewGuid():n}";

    private readonly RecordingLog _log = new();
    private readonly Meter _shop;

    public MetricStoreTests()
    {
        _shop = new Meter($"Shop.{_name}");
        _store = new MetricStore(
            _time, [new ExportedMeter($"shop.{_name}")], LoggerFactory.Create(logging => logging.AddProvider(_log)).CreateLogger<MetricStore>());
    }

    public void Dispose()
    {
        _store.Dispose();
        _meter.Dispose();
        _shop.Dispose();
    }

    [Fact]
    public void Route_Running_IsCountedFromTheStartAndGoneAfterItsEnd()
    {
        RouteMetrics route = new(_name);
        route.MessagesReceived(1);
        route.MessageSettled(Settlement.Complete, TimeSpan.FromSeconds(1));
        route.DeadLetterWritten("bad");
        route.Publish(() => true, () => true);

        _store.Collect();

        Value("messaging.client.consumed.messages").ShouldBe(1);
        Value("worker.messages.stored").ShouldBe(1);
        Value("worker.messages.dead_letters").ShouldBe(1);
        Value("worker.route.stuck").ShouldBe(1);
        Value("worker.messages.completed").ShouldBeNull("The route has a sink.");

        route.Unpublish();
        _store.Collect();
        Value("worker.messages.stored").ShouldBeNull();
        Value("worker.messages.dead_letters").ShouldBe(1, "A counter stays.");
    }

    [Fact]
    public void Histogram_NotRead_CostsNothing()
    {
        Histogram<double> histogram = _shop.CreateHistogram<double>(_name, "s");
        histogram.Enabled.ShouldBeFalse();

        _store.RecordHistograms();
        histogram.Enabled.ShouldBeTrue();
        histogram.Record(0.5);
        _time.Advance(MetricStore.RecordingTime);
        _store.Collect();
        histogram.Enabled.ShouldBeTrue();
        _time.Advance(TimeSpan.FromSeconds(1));
        _store.Collect();

        histogram.Enabled.ShouldBeFalse();
        _store.RecordHistograms();
        histogram.Record(0.5);
        _store.SeriesOf(_name, _shop.Name).Single().ShouldBeOfType<HistogramSeries>().Counts().Sum().ShouldBe(2, "Earlier counts remain.");
    }

    [Fact]
    public void Histogram_NoLongerRead_IsKeptFor15MinutesWithoutACollection()
    {
        Histogram<double> histogram = _shop.CreateHistogram<double>(_name, "s");
        _store.RecordHistograms();
        _time.Advance(TimeSpan.FromMinutes(14));
        _store.RecordHistograms();

        _time.Advance(TimeSpan.FromMinutes(15));
        histogram.Enabled.ShouldBeTrue("The last read was 15 minutes ago.");
        _time.Advance(TimeSpan.FromSeconds(1));

        histogram.Enabled.ShouldBeFalse();
    }

    [Fact]
    public void Attributes_OfManyValues_AreBounded()
    {
        Counter<long> counter = _meter.CreateCounter<long>(_name);

        for (int i = 0; i < 1_000; i++)
        {
            counter.Add(1, new KeyValuePair<string, object?>("text", $"from outside {i}"));
        }

        _store.SeriesOf(_name).Count.ShouldBe(MetricFamily.MaxSeries + 1);
        _store.SeriesOf(_name).Sum(series => series.Value).ShouldBe(1_000);
        _store.SeriesOf(_name)[^1]["otel.metric.overflow"].ShouldBe("true");
    }

    [Fact]
    public void Gauge_ThatThrows_LeavesTheOthers()
    {
        _meter.CreateObservableGauge<int>($"{_name}.broken", new Func<int>(() => throw new InvalidOperationException("not readable now")));
        _meter.CreateObservableGauge(_name, () => 7);

        _store.Collect();

        _store.SeriesOf(_name).Single().Value.ShouldBe(7);
    }

    [Fact]
    public async Task Counter_OfManyThreads_LosesNothing()
    {
        Counter<long> counter = _meter.CreateCounter<long>(_name);
        _store.RecordHistograms();
        Histogram<double> histogram = _meter.CreateHistogram<double>($"{_name}.h");

        await Task.WhenAll(Enumerable.Range(0, 4).Select(thread => Task.Run(() =>
        {
            for (int i = 0; i < 10_000; i++)
            {
                counter.Add(1, new KeyValuePair<string, object?>("thread", thread % 2));
                histogram.Record(2);
            }
        })));

        _store.SeriesOf(_name).Select(series => series.Value).ShouldBe([20_000, 20_000]);
        _store.SeriesOf($"{_name}.h").Single().Value.ShouldBe(80_000);
    }

    [Fact]
    public void AddedMeter_InstrumentsOfEveryType_AreExposedWithTheMetersName()
    {
        _store.RecordHistograms();
        _shop.CreateCounter<short>($"{_name}.short").Add(1);
        _shop.CreateUpDownCounter<byte>($"{_name}.byte").Add(2);
        _shop.CreateCounter<float>($"{_name}.float").Add(3);
        Counter<decimal> twice = _shop.CreateCounter<decimal>($"{_name}.decimal");
        twice.Add(4);
        twice.Add(4);
        Gauge<float> gauge = _shop.CreateGauge<float>($"{_name}.gauge");
        gauge.Record(9);
        gauge.Record(5);
        _shop
            .CreateHistogram($"{_name}.histogram", unit: null, description: null, tags: null, new InstrumentAdvice<int> { HistogramBucketBoundaries = [10] })
            .Record(6);
        _shop.CreateObservableGauge($"{_name}.observed", () => 7);
        using Meter other = new($"Shop.{_name}.other");
        other.CreateCounter<long>($"{_name}.unwanted").Add(1);

        _store.Collect();

        new[] { "short", "byte", "float", "decimal", "gauge", "histogram", "observed" }
            .Select(name => _store.SeriesOf($"{_name}.{name}", _shop.Name).Single().Value)
            .ShouldBe([1, 2, 3, 8, 5, 6, 7]);
        string text = PrometheusText.Write(_store.Families, openMetrics: false);
        text.ShouldContain($"_short_total{{otel_scope_name=\"{_shop.Name}\"}} 1\n");
        text.ShouldContain($"_histogram_bucket{{otel_scope_name=\"{_shop.Name}\",le=\"10\"}} 1\n");
        text.ShouldNotContain("unwanted");
    }

    [Fact]
    public void AddedMeter_NameOfAnOwnMetric_IsASeriesBesideIt()
    {
        _shop.CreateCounter<long>(_name).Add(1);
        _meter.CreateCounter<long>(_name).Add(2);

        string text = PrometheusText.Write(_store.Families, openMetrics: false);

        string sample = $"{PrometheusText.NameOf(_name, unit: null)}_total";
        text.ShouldContain($"# TYPE {sample} counter\n{sample} 2\n{sample}{{otel_scope_name=\"{_shop.Name}\"}} 1\n");
        Conflicts().ShouldBeEmpty();
    }

    [Fact]
    public void AddedMeter_NameOfAnOwnMetricOfAnotherType_IsLeftOutAndLogged()
    {
        _shop.CreateUpDownCounter<long>(_name.Replace('.', '_')).Add(1);
        _meter.CreateCounter<long>(_name).Add(2);

        string text = PrometheusText.Write(_store.Families, openMetrics: false);

        text.ShouldContain($"{PrometheusText.NameOf(_name, unit: null)}_total 2\n");
        text.ShouldNotContain(_shop.Name);
        Conflicts().ShouldHaveSingleItem().Id.Id.ShouldBe(1111);
    }

    [Theory]
    [InlineData("Shop", "shop", true)]
    [InlineData("Shop", "Shop.Orders", false)]
    [InlineData("Shop.*", "shop.Orders", true)]
    [InlineData("Shop.*", "Shops", false)]
    public void ExportedMeter_NameOrPattern_Matches(string name, string meter, bool matches) => new ExportedMeter(name).Matches(meter).ShouldBe(matches);

    private IEnumerable<LogEntry> Conflicts() => _log.Entries.Where(entry => entry.Text.Contains(_name, StringComparison.Ordinal));

    private double? Value(string metric) => _store.SeriesOf(metric).SingleOrDefault(series => series["worker.route"] == _name)?.Value;
}
