using Harness.Pages;
using Quayside.Messaging.Configuration;

namespace Harness.Reports;

/// <summary>Compares two files of figures, figure by figure, as text and as a page.</summary>
internal sealed class Comparison
{
    private const int MaxTypes = 15;

    private readonly IReadOnlyList<(HarnessReport Before, HarnessReport After)> _pairs;

    private Comparison(IReadOnlyList<(HarnessReport Before, HarnessReport After)> pairs) => _pairs = pairs;

    /// <exception cref="StartupException">A file cannot be read, or the two are not comparable.</exception>
    public static Comparison Read(string before, string after)
    {
        (IReadOnlyList<HarnessReport> old, bool oldIsAllForms) = ReportFiles.Read(before);
        (IReadOnlyList<HarnessReport> current, bool currentIsAllForms) = ReportFiles.Read(after);
        if (oldIsAllForms != currentIsAllForms)
        {
            throw new StartupException(
                $"{before} is of {Shape(oldIsAllForms)} and {after} of {Shape(currentIsAllForms)}; compare two files of the same kind.", ExitCodes.Usage);
        }

        (string oldMachine, string currentMachine) = (Machine(old[0]), Machine(current[0]));
        if (oldMachine != currentMachine)
        {
            throw new StartupException(
                $"The files are from different machines, so their times are not comparable.\n  before: {oldMachine}\n  after:  {currentMachine}",
                ExitCodes.Usage);
        }

        // Two single runs may have different forms: comparing forms is a purpose of the harness.
        (HarnessReport, HarnessReport)[] pairs =
            oldIsAllForms ? [.. old.Join(current, report => report.Form, report => report.Form, (one, other) => (one, other))] : [(old[0], current[0])];
        return pairs.Length > 0 ? new Comparison(pairs) : throw new StartupException($"{before} and {after} have no form in common.", ExitCodes.Usage);
    }

    /// <summary>Writes a sentence per pair and a line per figure.</summary>
    public void Write(TextWriter output)
    {
        foreach ((HarnessReport before, HarnessReport after) in _pairs)
        {
            output.WriteLine(Verdict(before, after));
            foreach (Metric metric in Metric.All)
            {
                string ratio = metric.Ratio(before, after) is { } value ? $" ({Figures.Ratio(value)})" : string.Empty;
                output.WriteLine($"  {metric.Judge(before, after),-7} {metric.Name}: {metric.Show(before)} -> {metric.Show(after)}{ratio}");
            }
        }
    }

    public string ToPage()
    {
        HtmlPage page = new("Harness: before and after");
        foreach ((HarnessReport before, HarnessReport after) in _pairs)
        {
            if (_pairs.Count > 1)
            {
                page.Heading(Title(before, after));
            }

            page.Paragraph(Verdict(before, after));
            page.Table(
                ["", "Before", "After", "Ratio", ""],
                Metric.All.Select(
                    metric => (string[])[
                        metric.Name, metric.Show(before), metric.Show(after), metric.Ratio(before, after) is { } ratio ? Figures.Ratio(ratio) : "-",
                        metric.Judge(before, after)]));
            page.Paragraph("In each pair of bars the upper, grey bar is before.", isMuted: true);
            page.Charts(Metric.All.Where(metric => metric.Value(before) is not null || metric.Value(after) is not null).Select(metric =>
                (metric.Name, metric.MoreIsBetter ? "more is better" : "less is better",
                    SvgChart.Bars(metric.Name, [new ChartRow(Change(metric, before, after), metric.Bar(before), metric.Bar(after))])))
                .Append(Allocations(before, after)));
        }

        RunPage.AppendSettings(page, [("Before", _pairs[0].Before), ("After", _pairs[0].After)]);
        return page.ToString();
    }

    private static string Verdict(HarnessReport before, HarnessReport after)
    {
        double ratio = Metric.Throughput.Ratio(before, after) ?? 1;
        string verdict = Metric.Throughput.Judge(before, after) switch
        {
            "faster" => $"After is faster: {Figures.Ratio(ratio)} the messages per second of before.",
            "slower" => $"Before is faster: {Figures.Ratio(1 / ratio)} the messages per second of after.",
            "same" => "Both are equally fast: less than 2 % apart in messages per second.",
            _ => "The times include the counting of --explain, so compare only the bytes.",
        };
        return $"{Title(before, after)}. {verdict}";
    }

    private static string Change(Metric metric, HarnessReport before, HarnessReport after) =>
        string.Join(
            ", ", ((string[])[metric.Judge(before, after), metric.Ratio(before, after) is { } ratio ? Figures.Ratio(ratio) : string.Empty]).Where(
                text => text.Length > 0));

    private static string Title(HarnessReport before, HarnessReport after) =>
        RunPage.Name(before) == RunPage.Name(after) ? RunPage.Name(after) : $"{RunPage.Name(before)}; after: {RunPage.Name(after)}";

    private static (string Title, string Note, string Svg) Allocations(HarnessReport before, HarnessReport after)
    {
        const string Name = "Allocation by type, bytes per message";
        (IReadOnlyList<AllocationRow> old, string how) = RunPage.Allocations(before);
        (IReadOnlyList<AllocationRow> current, string howAfter) = RunPage.Allocations(after);
        if (how != howAfter)
        {
            return (Name, $"Not comparable: before {how}, after {howAfter}.", string.Empty);
        }

        ChartRow[] rows = [.. old.Concat(current).Select(row => row.Type).Distinct(StringComparer.Ordinal)
            .Select(type => new ChartRow(RunPage.ShortType(type), Bar(old, type, before), Bar(current, type, after)) { Title = type })
            .OrderByDescending(row => row.Bars.Max(bar => bar.Value))
            .Take(MaxTypes)];
        return (Name, how, rows.Length > 0 ? SvgChart.Bars(Name, rows) : string.Empty);
    }

    private static ChartBar Bar(IReadOnlyList<AllocationRow> rows, string type, HarnessReport report)
    {
        double bytes = (rows.FirstOrDefault(row => row.Type == type)?.Bytes ?? 0) / (double)Math.Max(1, report.Messages);
        return new ChartBar(bytes, Figures.Bytes(bytes));
    }

    private static string Shape(bool isAllForms) => isAllForms ? "all forms" : "one run";

    private static string Machine(HarnessReport report) => (report.Record!.Machine with { Commit = "any" }).ToString();
}
