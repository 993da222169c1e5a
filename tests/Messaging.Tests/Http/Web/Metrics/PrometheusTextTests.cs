using System.Diagnostics.Metrics;
using Quayside.Messaging.Http.Web.Metrics;
using Quayside.Messaging.Telemetry;

namespace Messaging.Tests.Http.Web.Metrics;

public sealed class PrometheusTextTests : IDisposable
{
    private readonly Meter _meter = new(RouteMetrics.SourceName);

    public void Dispose() => _meter.Dispose();

    [Fact]
    public void Write_EveryKind_FollowsTheFormats()
    {
        MetricFamily counter = new(_meter.CreateCounter<long>("worker.test.calls", "{call}", "Calls \\ sent\n\"all\""), MetricKind.Counter, []);
        counter.Find([new("worker.route", "a"), new("error.type", "quote \" slash \\ line \n end")]).Add(3);
        MetricFamily gauge = new(_meter.CreateGauge<double>("worker.test.9-age", "s"), MetricKind.Gauge, []);
        gauge.Find([]).Set(2.5);
        MetricFamily empty = new(_meter.CreateCounter<long>("worker.test.none"), MetricKind.Counter, []);
        MetricFamily histogram = new(_meter.CreateHistogram<double>("worker.test.size", "By", "Sizes"), MetricKind.Histogram, [1, 2.5]);
        HistogramSeries series = (HistogramSeries)histogram.Find([new("worker.route", "a")]);
        series.Record(1);
        series.Record(2);
        series.Record(9);

        PrometheusText.Write([counter, gauge, empty, histogram], openMetrics: false).ShouldBe(
            """
            # HELP worker_test_calls_total Calls \\ sent\n"all"
            # TYPE worker_test_calls_total counter
            worker_test_calls_total{worker_route="a",error_type="quote \" slash \\ line \n end"} 3
            # HELP worker_test_9_age_seconds 
            # TYPE worker_test_9_age_seconds gauge
            worker_test_9_age_seconds 2.5
            # HELP worker_test_size_bytes Sizes
            # TYPE worker_test_size_bytes histogram
            worker_test_size_bytes_bucket{worker_route="a",le="1"} 1
            worker_test_size_bytes_bucket{worker_route="a",le="2.5"} 2
            worker_test_size_bytes_bucket{worker_route="a",le="+Inf"} 3
            worker_test_size_bytes_sum{worker_route="a"} 12
            worker_test_size_bytes_count{worker_route="a"} 3

            """);
        PrometheusText.Write([counter, histogram], openMetrics: true).ShouldBe(
            """
            # HELP worker_test_calls Calls \\ sent\n\"all\"
            # TYPE worker_test_calls counter
            worker_test_calls_total{worker_route="a",error_type="quote \" slash \\ line \n end"} 3
            # HELP worker_test_size_bytes Sizes
            # TYPE worker_test_size_bytes histogram
            worker_test_size_bytes_bucket{worker_route="a",le="1.0"} 1
            worker_test_size_bytes_bucket{worker_route="a",le="2.5"} 2
            worker_test_size_bytes_bucket{worker_route="a",le="+Inf"} 3
            worker_test_size_bytes_sum{worker_route="a"} 12
            worker_test_size_bytes_count{worker_route="a"} 3
            # EOF

            """);
    }

    [Theory]
    [InlineData("", false)]
    [InlineData("*/*", false)]
    [InlineData("text/plain", false)]
    [InlineData("application/openmetrics-text", true)]
    [InlineData(
        "application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2", true)]
    [InlineData("application/openmetrics-text;version=2.0.0", false)]
    [InlineData("application/openmetrics-text; version=1.0.0; q=0.2, text/plain; q=0.9", false)]
    [InlineData("application/openmetrics-text;q=0", false)]
    [InlineData("what is this;;,", false)]
    public void Accept_Header_SelectsTheFormat(string accept, bool openMetrics) => MetricsEndpoint.WantsOpenMetrics(accept).ShouldBe(openMetrics);
}
