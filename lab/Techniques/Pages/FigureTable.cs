using System.Text;
using Benchmarks;
using Benchmarks.Compare;

namespace Lab.Techniques.Pages;

/// <summary>A suite's results as a table: one row per method, with nanoseconds and bytes for every value of the parameter.</summary>
internal static class FigureTable
{
    /// <summary>The kind of the marks around a table: <c>figures</c>.</summary>
    public const string Mark = "figures";

    /// <summary>The text of a page's table until its suite was run.</summary>
    public const string Pending = "Not measured yet.";

    /// <returns>Null when the folder has no results of the suite.</returns>
    public static string? Create(string suite, ResultsFolder results)
    {
        BenchmarkRow[] rows = [.. results.Rows.Values.Where(row => row.Suite == suite)];
        if (rows.Length == 0)
        {
            return null;
        }

        string[] parameters = [.. rows.Select(row => row.Parameters).Distinct(StringComparer.Ordinal)];
        StringBuilder table = new("|");
        foreach (string parameter in parameters)
        {
            string of = parameter.Length > 0 ? $"{parameter}: " : string.Empty;
            table.Append($" | {of}ns | B");
        }

        table.Append(" |\n|---").Insert(table.Length, "|---:|---:", parameters.Length).Append("|\n");
        foreach (string method in rows.Select(row => row.Method).Distinct(StringComparer.Ordinal))
        {
            table.Append($"| {method}");
            foreach (string parameter in parameters)
            {
                BenchmarkRow? row = rows.FirstOrDefault(one => one.Method == method && one.Parameters == parameter);
                table.Append($" | {Time(row)} | {(row?.Bytes is { } bytes ? $"{bytes:N0}" : "-")}");
            }

            table.Append(" |\n");
        }

        return table
            .Append($"\nMedians, {results.Date}, {results.Machine}: `dotnet run -c Release --project lab -- techniques --filter '*.{suite}.*'`")
            .ToString();
    }

    private static string Time(BenchmarkRow? row) => row is null ? "failed" : FigureText.Nanoseconds(row.Nanoseconds);
}
