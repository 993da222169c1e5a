using System.Text.Json;
using Benchmarks.Compare;

namespace Lab.Pages;

/// <summary>The rows of results folders, by file: <c>put</c> is put.json, <c>KeyBenchmarks</c> BenchmarkDotNet's report of that suite.</summary>
internal sealed class ResultRows(IReadOnlyList<DirectoryInfo> folders)
{
    private const string Report = "-report-brief.json";

    private readonly Dictionary<string, IReadOnlyList<ResultRow>> _read = new(StringComparer.Ordinal);

    /// <summary>True when one of the folders has the file.</summary>
    public bool Has(string file) => Find(file) is not null;

    /// <summary>A figure, or an array of them, of the one row of a file that has all of the names.</summary>
    /// <exception cref="ResultsException">There is no such file, row or figure, more than one row, or the file is not valid.</exception>
    public double[] Get(string file, IReadOnlyCollection<string> names, string figure)
    {
        IReadOnlyList<ResultRow> rows = Of(file);
        ResultRow[] found = [.. rows.Where(row => names.All(row.Names.Contains))];
        return found switch
        {
            [] => throw new ResultsException(
                $"{Where(file)} has no row {string.Join(' ', names)}. It has: {string.Join("; ", rows.Select(row => string.Join(' ', row.Names)))}."),
            [var row] =>
                row.Figures.TryGetValue(figure, out double[]? value)
                    ? value
                    : throw new ResultsException(
                        $"{Where(file)}: the row {string.Join(' ', names)} has no figure {figure}. It has: {string.Join(", ", row.Figures.Keys)}."),
            _ => throw new ResultsException(
                $"{Where(file)} has {found.Length} rows {string.Join(' ', names)}; add a name: "
                    + $"{string.Join("; ", found.Select(row => string.Join(' ', row.Names)))}."),
        };
    }

    /// <summary>False when a file of an earlier day lacks a figure that the command writes now.</summary>
    public bool HasFigure(string file, IReadOnlyCollection<string> names, string figure) =>
        Of(file).Any(row => names.All(row.Names.Contains) && row.Figures.ContainsKey(figure));

    private string Where(string file) => $"{file} in {string.Join<DirectoryInfo>(" and ", folders)}";

    private FileInfo? Find(string file) => folders
        .SelectMany(
            folder => (string[])[
                Path.Combine(folder.FullName, $"{file}.json"), Path.Combine(folder.FullName, $"{file}{Report}"),
                Path.Combine(folder.FullName, "results", $"{file}{Report}")])
        .Select(path => new FileInfo(path)).FirstOrDefault(one => one.Exists);

    private IReadOnlyList<ResultRow> Of(string file)
    {
        if (!_read.TryGetValue(file, out IReadOnlyList<ResultRow>? rows))
        {
            FileInfo found = Find(file) ?? throw new ResultsException($"There is no {Where(file)}.");
            try
            {
                using JsonDocument document = JsonDocument.Parse(File.ReadAllBytes(found.FullName));
                _read[file] = rows = [.. found.Name.EndsWith(Report, StringComparison.Ordinal)
                    ? document.RootElement
                        .GetProperty("Benchmarks")
                        .EnumerateArray()
                        .Where(one => one.GetProperty("Statistics").ValueKind == JsonValueKind.Object)
                        .Select(ResultRow.OfReport)
                    : document.RootElement
                        .EnumerateObject()
                        .Where(one => one.Value.ValueKind == JsonValueKind.Array)
                        .SelectMany(one => one.Value.EnumerateArray().Select(row => ResultRow.Of(one.Name, row)))];
            }
            catch (Exception exception) when (exception is JsonException or KeyNotFoundException or InvalidOperationException)
            {
                throw new ResultsException($"{found.FullName} is not a file of results: {exception.Message}");
            }
        }

        return rows;
    }
}
