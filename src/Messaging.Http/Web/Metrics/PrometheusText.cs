using System.Buffers;
using System.Globalization;
using System.Text;

namespace Quayside.Messaging.Http.Web.Metrics;

/// <summary>Writes metrics in the Prometheus text format 0.0.4 or in OpenMetrics 1.0.0.</summary>
internal static class PrometheusText
{
    public const string ContentType = "text/plain; version=0.0.4; charset=utf-8";
    public const string OpenMetricsContentType = "application/openmetrics-text; version=1.0.0; charset=utf-8";

    private static readonly SearchValues<char> NameCharacters = SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");

    /// <summary>Writes the whole exposition.</summary>
    /// <param name="families">The metrics.</param>
    /// <param name="openMetrics">True for OpenMetrics.</param>
    public static string Write(IEnumerable<MetricFamily> families, bool openMetrics)
    {
        StringBuilder text = new(16 << 10);
        foreach (IGrouping<string, MetricFamily> metric in families.Where(family => family.Series.Count > 0).GroupBy(family => family.ExposedName))
        {
            // A metric has one type: those of another type are left out, which the store has logged.
            MetricFamily first = metric.First();
            string sample = first.Kind == MetricKind.Counter ? $"{metric.Key}_total" : metric.Key;
            WriteHead(text, first, openMetrics ? metric.Key : sample, openMetrics);
            foreach (MetricFamily family in metric.Where(family => family.Kind == first.Kind))
            {
                foreach (MetricSeries series in family.Series)
                {
                    if (series is HistogramSeries histogram)
                    {
                        WriteHistogram(text, metric.Key, family.AddedMeter, histogram, openMetrics);
                    }
                    else
                    {
                        WriteSample(text, sample, family.AddedMeter, series, series.Value);
                    }
                }
            }
        }

        return (openMetrics ? text.Append("# EOF\n") : text).ToString();
    }

    /// <summary>The Prometheus name of a metric, without <c>_total</c>: with its unit, and with invalid characters replaced.</summary>
    public static string NameOf(string name, string? unit)
    {
        string suffix = unit switch
        {
            "s" => "_seconds",
            "By" => "_bytes",
            null or "" or "1" or ['{', ..] => string.Empty,
            _ => $"_{unit.ToLowerInvariant()}",
        };
        string clean = Clean(name);
        return suffix.Length == 0 || clean.EndsWith(suffix, StringComparison.Ordinal) ? clean : clean + Clean(suffix);
    }

    private static void WriteHead(StringBuilder text, MetricFamily family, string name, bool openMetrics)
    {
        string type = family.Kind switch
        {
            MetricKind.Counter => "counter",
            MetricKind.Histogram => "histogram",
            _ => "gauge",
        };
        text.Append("# HELP ").Append(name).Append(' ').Append(Escape(family.Description ?? string.Empty, quotes: openMetrics)).Append('\n');
        text.Append("# TYPE ").Append(name).Append(' ').Append(type).Append('\n');
    }

    private static void WriteHistogram(StringBuilder text, string name, string? addedMeter, HistogramSeries histogram, bool openMetrics)
    {
        long[] counts = histogram.Counts();
        long total = 0;
        for (int i = 0; i < counts.Length; i++)
        {
            total += counts[i];
            WriteSample(
                text, $"{name}_bucket", addedMeter, histogram, total,
                i < histogram.Boundaries.Length ? FormatBound(histogram.Boundaries[i], openMetrics) : "+Inf");
        }

        WriteSample(text, $"{name}_sum", addedMeter, histogram, histogram.Value);
        WriteSample(text, $"{name}_count", addedMeter, histogram, total);
    }

    private static void WriteSample(StringBuilder text, string name, string? addedMeter, MetricSeries series, double value, string? upperBound = null)
    {
        text.Append(name);
        char separator = '{';
        if (addedMeter is not null)
        {
            // As in OpenTelemetry's specification of Prometheus: two meters may have instruments of one name.
            text.Append(separator).Append("otel_scope_name=\"").Append(Escape(addedMeter, quotes: true)).Append('"');
            separator = ',';
        }

        foreach ((string key, object? attribute) in series.Attributes)
        {
            text
                .Append(separator)
                .Append(Clean(key))
                .Append("=\"")
                .Append(Escape(Convert.ToString(attribute, CultureInfo.InvariantCulture) ?? string.Empty, quotes: true))
                .Append('"');
            separator = ',';
        }

        if (upperBound is not null)
        {
            text.Append(separator).Append("le=\"").Append(upperBound).Append('"');
            separator = ',';
        }

        text.Append(separator == ',' ? "} " : " ").Append(Format(value)).Append('\n');
    }

    private static string Clean(string name)
    {
        char[] clean = name.ToCharArray();
        foreach (ref char c in clean.AsSpan())
        {
            c = NameCharacters.Contains(c) ? c : '_';
        }

        return char.IsAsciiDigit(clean[0]) ? $"_{new string(clean)}" : new string(clean);
    }

    private static string Format(double value) => value switch
    {
        double.PositiveInfinity => "+Inf",
        double.NegativeInfinity => "-Inf",
        _ => value.ToString(CultureInfo.InvariantCulture),
    };

    // OpenMetrics requires a decimal point in whole numbers too.
    private static string FormatBound(double bound, bool openMetrics) => bound.ToString(openMetrics ? "0.0####" : "G", CultureInfo.InvariantCulture);

    private static string Escape(string text, bool quotes)
    {
        text = text.Replace("\\", "\\\\", StringComparison.Ordinal).Replace("\n", "\\n", StringComparison.Ordinal);
        return quotes ? text.Replace("\"", "\\\"", StringComparison.Ordinal) : text;
    }
}
