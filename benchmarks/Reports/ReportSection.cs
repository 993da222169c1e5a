using Harness.Pages;

namespace Benchmarks.Reports;

/// <summary>One suite of a results folder as a page shows it.</summary>
/// <param name="Name">The suite's, or the file's where no suite made it.</param>
/// <param name="Machine">Where its figures are from.</param>
/// <param name="Shows">What the bars' lengths are.</param>
/// <param name="Columns">The table's.</param>
/// <param name="Rows">The table's, a text per column.</param>
/// <param name="Charts">Bars by case; the title is empty where there is one case.</param>
internal sealed record ReportSection(
    string Name, string Machine, string Shows, IReadOnlyList<string> Columns, IReadOnlyList<string[]> Rows, IReadOnlyList<(string Title, IReadOnlyList<ChartRow> Rows)> Charts)
{
    /// <summary>True where one chart of all cases would need it.</summary>
    public bool IsLogarithmic => SvgChart.NeedsLogarithm(Charts.SelectMany(chart => chart.Rows));
}
