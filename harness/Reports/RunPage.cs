using System.Text.RegularExpressions;
using Harness.Pages;
using Harness.Recording;

namespace Harness.Reports;

/// <summary>The page of one run, or of one run of each form side by side.</summary>
internal static partial class RunPage
{
    private const int MaxTypes = 15;
    private const string Sampled = "sampled, one in 100 KB";

    // Below this number of samples a share is not reliable.
    private const int FewSamples = 50;

    public static string Create(IReadOnlyList<HarnessReport> reports, int rounds)
    {
        HarnessReport first = reports[0];
        bool isOne = reports.Count == 1;
        HtmlPage page = new(isOne ? Name(first) : $"The {reports.Count} pipeline forms, {first.Source} to {first.Sink}");
        page.Paragraph(
            $"{first.Messages:N0} messages{(isOne ? "" : " per run")}; processing only, "
                + "publishing is counted only for sources that publish and process together.");
        if (first.Allocations is not null)
        {
            page.Paragraph("Every object was counted (--explain): the times include the counting, so compare only the bytes.");
        }

        if (isOne)
        {
            page.Tiles(
                Metric.All.Where(metric => metric.Value(first) is not null).Select(metric => (metric.Name, metric.Show(first))).Append(Collections(first)));
            AppendCharts(page, first);
        }
        else
        {
            page.Paragraph(
                $"Each form ran {(rounds == 1 ? "once" : $"{rounds} times")} in its own processes, with the forms in turn; "
                    + "the page shows the run of each form with the median throughput.", isMuted: true);
            page.Charts(Metric.All.Where(metric => metric.Value(first) is not null).Select(metric =>
                (metric.Name, metric.MoreIsBetter ? "more is better" : "less is better",
                    SvgChart.Bars(metric.Name, [.. reports.Select(report => new ChartRow(report.Form, metric.Bar(report)))]))));
            page.Table(
                ["", .. reports.Select(report => report.Form)],
                [.. Metric.All.Select(metric => reports.Select(metric.Show).Prepend(metric.Name)),
                    reports.Select(report => Collections(report).Figure).Prepend(Collections(first).Name)]);
            foreach (HarnessReport report in reports)
            {
                AppendCharts(page.Heading(Name(report)), report);
            }
        }

        AppendSettings(page, [("Value", isOne ? first : first with { Form = "Each" })]);
        return page.ToString();
    }

    public static string Name(HarnessReport report) =>
        report.Form == HarnessReport.NoForm ? $"No pipeline, {report.Source}" : $"{report.Form} form, {report.Source} to {report.Sink}";

    /// <summary>The settings and machine of the runs; of two runs, the settings that differ come first.</summary>
    public static void AppendSettings(HtmlPage page, IReadOnlyList<(string Name, HarnessReport Report)> runs)
    {
        Dictionary<string, string>[] all = [.. runs.Select(run => new Dictionary<string, string>(run.Report.Record!.Settings, StringComparer.Ordinal)
        {
            ["Machine"] = (run.Report.Record.Machine with { Commit = string.Empty }).ToString().Replace(", commit ", string.Empty, StringComparison.Ordinal),
            ["Commit"] = run.Report.Record.Machine.Commit,
            ["Route"] = Name(run.Report),
        })];
        IEnumerable<string[]> rows = all.SelectMany(settings => settings.Keys).Distinct(StringComparer.Ordinal)
            .Select(key => (string[])[key, .. all.Select(settings => settings.GetValueOrDefault(key, "-"))])
            .OrderBy(row => row.Length == 3 && row[1] != row[2] ? 0 : 1);
        page
            .Heading(runs.Count > 1 ? "Settings, with differences first" : "Settings and machine")
            .Table(["Setting", .. runs.Select(run => run.Name)], rows, ofWords: true);
    }

    /// <summary>A run's allocations by type, largest first, and how they were measured.</summary>
    public static (IReadOnlyList<AllocationRow> Rows, string How) Allocations(HarnessReport report) =>
        report.Allocations is { } counted ? (counted, "every object counted") : (report.Record!.SampledAllocations, Sampled);

    /// <summary>The type without namespaces; the full name is shown beside it.</summary>
    public static string ShortType(string type) => Namespace.Replace(type, string.Empty);

    private static (string Name, string Figure) Collections(HarnessReport report) =>
        ("Collections of gen 0, 1, 2", $"{report.Gen0:N0}, {report.Gen1:N0}, {report.Gen2:N0}");

    private static void AppendCharts(HtmlPage page, HarnessReport report)
    {
        RunRecord record = report.Record!;
        double seconds = record.BinSeconds * record.MessagesPerSecond.Count;
        (string, string, string) below = ("0 s", Figures.Time(seconds / 2), Figures.Time(seconds));
        page.Charts(
            ("Throughput over time", $"{Figures.Time(record.BinSeconds)} per column", SvgChart.Columns(
                "Throughput over time",
                [.. record.MessagesPerSecond.Select((rate, i) => new ChartColumn(rate, $"from {Figures.Time(i * record.BinSeconds)}: {Figures.Rate(rate)}"))],
                Figures.Rate(record.MessagesPerSecond.Max()),
                below)),
            Pauses(record, below),
            Latency(record),
            AllocationsOf(report));
    }

    private static (string Title, string Note, string Svg) Pauses(RunRecord record, (string, string, string) below)
    {
        const string Title = "GC pauses over time";
        if (record.Pauses.Count == 0)
        {
            return (Title, "The garbage collector did not stop this run.", string.Empty);
        }

        double[] bins = new double[record.MessagesPerSecond.Count];
        foreach (GcPause pause in record.Pauses)
        {
            bins[Math.Clamp((int)(pause.AtSeconds / record.BinSeconds), 0, bins.Length - 1)] += pause.Milliseconds / 1e3;
        }

        string note = $"{record.Pauses.Count:N0} {(record.Pauses.Count == 1 ? "pause" : "pauses")}, the longest "
            + $"{Figures.Time(record.Pauses.Max(pause => pause.Milliseconds) / 1e3)}";
        return (
            Title, note,
            SvgChart.Columns(
                Title, [.. bins.Select((seconds, i) => new ChartColumn(seconds, $"from {Figures.Time(i * record.BinSeconds)}: {Figures.Time(seconds)}"))],
                Figures.Time(bins.Max()), below));
    }

    private static (string Title, string Note, string Svg) Latency(RunRecord record)
    {
        const string Title = "Latency";
        return record.Latency.Count == 0
            ? (Title, "This run did not measure it.", string.Empty)
            : (Title, "messages by time from acceptance to settlement, ten columns per decade", SvgChart.Columns(
                Title,
                [.. record.Latency.Select(bucket => new ChartColumn(bucket.Messages, $"at most {Figures.Time(bucket.Seconds)}: {bucket.Messages:N0}"))],
                $"{record.Latency.Max(bucket => bucket.Messages):N0} messages",
                (Figures.Time(record.Latency[0].Seconds), Figures.Time(record.Latency[record.Latency.Count / 2].Seconds),
                    Figures.Time(record.Latency[^1].Seconds))));
    }

    private static (string Title, string Note, string Svg) AllocationsOf(HarnessReport report)
    {
        (IReadOnlyList<AllocationRow> rows, string how) = Allocations(report);
        const string Title = "Allocation by type";
        long samples = rows.Sum(row => row.Count);
        double bytes = Math.Max(1, rows.Sum(row => row.Bytes));
        string note =
            how != Sampled ? how : $"{how}: {samples:N0} samples{(samples < FewSamples ? ", too few for shares; use a larger --count, or --explain" : "")}";
        if (rows.Count == 0)
        {
            return (Title, note, string.Empty);
        }

        List<ChartRow> bars = [.. rows.Take(MaxTypes).Select(row => Row(ShortType(row.Type), row.Type, row.Bytes))];
        if (rows.Count > MaxTypes)
        {
            string more = $"{rows.Count - MaxTypes} more types";
            bars.Add(Row(more, more, rows.Skip(MaxTypes).Sum(row => row.Bytes)) with { IsQuiet = true });
        }

        return (Title, note, SvgChart.Bars(Title, bars));

        ChartRow Row(string label, string type, long of) => new(label, new ChartBar(of, $"{Figures.Bytes(of)}, {of / bytes:P1}")) { Title = type };
    }

    [GeneratedRegex(@"(?:\b[A-Za-z_]\w*\.)+(?=\w)")]
    private static partial Regex Namespace { get; }
}
