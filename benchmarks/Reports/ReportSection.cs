using Harness.Pages;

namespace Benchmarks.Reports;

/// <summary>One suite of a results folder, as a page shows it.</summary>
/// <param name="Name">The suite's name, or the file's where no suite wrote it.</param>
/// <param name="Machine">The machine that the figures are from.</param>
/// <param name="Shows">The quantity that the bars show.</param>
/// <param name="Columns">The table's columns.</param>
/// <param name="Rows">The table's rows, one text per column.</param>
/// <param name="Charts">Bars by case; the title is empty when there is only one case.</param>
internal sealed record ReportSection(
    string Name, string Machine, string Shows, IReadOnlyList<string> Columns, IReadOnlyList<string[]> Rows,
    IReadOnlyList<(string Title, IReadOnlyList<ChartRow> Rows)> Charts)
{
    /// <summary>True when one chart of all cases would need a logarithmic scale.</summary>
    public bool IsLogarithmic => SvgChart.NeedsLogarithm(Charts.SelectMany(chart => chart.Rows));
}
