using Benchmarks.Compare;
using Harness.Pages;

namespace Benchmarks.Reports;

/// <summary>The suites that BenchmarkDotNet ran.</summary>
internal static class SuiteSections
{
    public static IEnumerable<ReportSection> Of(ResultsFolder folder) =>
        folder.Rows.Values.GroupBy(row => row.Suite).OrderBy(suite => suite.Key, StringComparer.Ordinal).Select(suite =>
        {
            IGrouping<string, BenchmarkRow>[] cases = [.. suite.GroupBy(row => row.Parameters)];
            return new ReportSection(
                suite.Key,
                $"{folder.Machine}{(folder.Date.Length > 0 ? $", {folder.Date}" : "")}",
                "median time per operation, and bytes allocated",
                ["Method", "Case", "Median time", "Of the case's first", "Allocated"],
                [.. cases.SelectMany(
                    one => one.Select(
                        row => (string[])[
                            row.Method, row.Parameters, Time(row), Ratio(row, one.First()), row.Bytes is { } bytes ? Figures.Bytes(bytes) : "-"]))],
                [.. cases.Select(one => (one.Key, Bars(one)))]);
        });

    private static IReadOnlyList<ChartRow> Bars(IEnumerable<BenchmarkRow> rows) =>
        [.. rows.Select(
            row => new ChartRow(row.Method, new ChartBar(row.Nanoseconds, row.Bytes is { } bytes ? $"{Time(row)}, {Figures.Bytes(bytes)}" : Time(row))))];

    private static string Time(BenchmarkRow row) => Figures.Time(row.Nanoseconds / 1e9);

    private static string Ratio(BenchmarkRow row, BenchmarkRow first) => first.Nanoseconds > 0 ? Figures.Ratio(row.Nanoseconds / first.Nanoseconds) : "-";
}
