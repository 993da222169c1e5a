using System.Text.Json;
using System.Text.RegularExpressions;
using Benchmarks.Compare;
using Harness.Pages;

namespace Benchmarks.Reports;

/// <summary>
/// The files that the commands write: rows with a name and figures, whose property names contain the units. A new
/// command's file with such rows is shown without a change here.
/// </summary>
internal static partial class MeasuredSections
{
    private static readonly string[] Arrays = ["Rows", "rows", "byInFlight", "bySize"];

    /// <summary>The properties that divide rows into cases.</summary>
    private static readonly string[] Cases = ["InFlight", "Messages"];

    /// <exception cref="ResultsException">A file is not valid JSON.</exception>
    public static IEnumerable<ReportSection> Read(DirectoryInfo folder)
    {
        foreach (FileInfo file in folder
            .EnumerateFiles("*.json", SearchOption.AllDirectories)
            .Where(file => !file.Name.EndsWith("-report-brief.json", StringComparison.Ordinal))
            .OrderBy(file => file.FullName, StringComparer.Ordinal))
        {
            using JsonDocument document = Parse(file);
            foreach (string array in Arrays)
            {
                if (document.RootElement.ValueKind == JsonValueKind.Object
                    && document.RootElement.TryGetProperty(array, out JsonElement rows)
                    && rows.ValueKind == JsonValueKind.Array
                    && rows.GetArrayLength() > 0)
                {
                    string name = Path.ChangeExtension(Path.GetRelativePath(folder.FullName, file.FullName), null).Replace('\\', '/');
                    yield return Section(
                        string.Equals(array, "rows", StringComparison.OrdinalIgnoreCase) ? name : $"{name} {Words(array)}", Machine(document.RootElement),
                        [.. rows.EnumerateArray()]);
                }
            }
        }
    }

    private static JsonDocument Parse(FileInfo file)
    {
        try
        {
            using FileStream stream = file.OpenRead();
            return JsonDocument.Parse(stream);
        }
        catch (JsonException exception)
        {
            throw new ResultsException($"{file.FullName} is not valid JSON: {exception.Message}");
        }
    }

    private static ReportSection Section(string name, string machine, JsonElement[] rows)
    {
        if (!Array.TrueForAll(rows, row => row.ValueKind == JsonValueKind.Object))
        {
            throw new ResultsException($"{name}: its rows are not objects.");
        }

        string[] columns = [
            .. rows[0]
                .EnumerateObject()
                .Where(property => property.Value.ValueKind is JsonValueKind.String or JsonValueKind.Number)
                .Select(property => property.Name)];
        string? shown = Array.Find(columns, IsProcessorTime) ?? Array.Find(columns, IsRate);
        string? bytes = Array.Find(columns, IsBytes);
        return new ReportSection(
            name,
            machine,
            shown is null ? string.Empty : $"{Words(shown)}{(bytes is null ? "" : ", and bytes")}",
            [.. columns.Select(Words)],
            [.. rows.Select(row => (string[])[.. columns.Select(column => Text(row, column))])],
            shown is null ? [] : [.. rows.GroupBy(Case).Select(one => (one.Key, Bars(one, columns[0], shown, bytes)))]);
    }

    private static IReadOnlyList<ChartRow> Bars(IEnumerable<JsonElement> rows, string label, string shown, string? bytes) =>
        [.. rows.Select(
            row => new ChartRow(
                Text(row, label), new ChartBar(Number(row, shown), bytes is null ? Text(row, shown) : $"{Text(row, shown)}, {Text(row, bytes)}")))];

    private static string Case(JsonElement row) =>
        string.Join(", ", Cases.Where(name => row.TryGetProperty(name, out _)).Select(name => $"{Number(row, name):N0} {Words(name)}"));

    private static string Text(JsonElement row, string column)
    {
        if (!row.TryGetProperty(column, out JsonElement value) || value.ValueKind != JsonValueKind.Number)
        {
            return value.ValueKind == JsonValueKind.String ? value.GetString()! : "-";
        }

        double figure = value.GetDouble();
        return IsProcessorTime(column) ? Figures.Time(figure / 1e6)
            : column is "P50" or "P99" || column.EndsWith("Milliseconds", StringComparison.Ordinal) ? Figures.Time(figure / 1e3)
            : IsBytes(column) ? Figures.Bytes(figure)
            : IsRate(column) ? Figures.Rate(figure)
            : column == "Loss" ? $"{figure:P2}"
            : Figures.Number(figure);
    }

    private static double Number(JsonElement row, string column) =>
        row.TryGetProperty(column, out JsonElement value) && value.ValueKind == JsonValueKind.Number ? value.GetDouble() : 0;

    private static string Machine(JsonElement root)
    {
        if (root.TryGetProperty("machine", out JsonElement text))
        {
            return text.ToString();
        }

        string taken = root.TryGetProperty("Taken", out JsonElement at) ? $", {at.ToString().Split('T')[0]}" : string.Empty;
        return root.TryGetProperty("Machine", out JsonElement machine) && machine.ValueKind == JsonValueKind.Object
            ? $"{string.Join(", ", machine.EnumerateObject().Select(part => part.Name == "Cores" ? $"{part.Value} hardware threads" : part.Value.ToString()))}"
                + $"{taken}"
            : string.Empty;
    }

    private static bool IsProcessorTime(string column) =>
        column.StartsWith("CpuMicroseconds", StringComparison.Ordinal) || column.StartsWith("ServerCpuMicroseconds", StringComparison.Ordinal);

    private static bool IsBytes(string column) => column.StartsWith("Bytes", StringComparison.Ordinal);

    private static bool IsRate(string column) => column.EndsWith("Second", StringComparison.Ordinal);

    /// <summary>CpuMicroseconds becomes processor time, and byInFlight becomes by in flight: the cells have the unit.</summary>
    private static string Words(string name) =>
        WordStart.Replace(Unit.Replace(name, "Time").Replace("Cpu", "Processor", StringComparison.Ordinal), " ").ToLowerInvariant();

    [GeneratedRegex("Microseconds|Milliseconds")]
    private static partial Regex Unit { get; }

    [GeneratedRegex("(?<=[a-z0-9])(?=[A-Z])")]
    private static partial Regex WordStart { get; }
}
