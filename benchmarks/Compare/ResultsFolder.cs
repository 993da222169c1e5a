using System.Globalization;
using System.Text.Json;

namespace Benchmarks.Compare;

/// <summary>The reports of one results folder: the machine and the rows from BenchmarkDotNet's brief JSON.</summary>
/// <param name="Path">The folder.</param>
/// <param name="Machine">Where the figures are from.</param>
/// <param name="Date">The day of the newest report, such as 2026-11-21; empty when the reports do not say.</param>
/// <param name="Rows">By full name, in the order of the reports.</param>
internal sealed record ResultsFolder(string Path, string Machine, string Date, IReadOnlyDictionary<string, BenchmarkRow> Rows)
{
    private const string Reports = "*-report-brief.json";

    private static readonly string[] MachineParts =
        ["OsVersion", "ProcessorName", "PhysicalCoreCount", "LogicalCoreCount", "RuntimeVersion", "Architecture", "Configuration"];

    /// <exception cref="ResultsException">There are no reports, they are from different machines, or a file is not a report.</exception>
    public static ResultsFolder Read(DirectoryInfo folder)
    {
        if (!folder.Exists)
        {
            throw new ResultsException($"There is no folder {folder.FullName}.");
        }

        FileInfo[] reports = FindReports(folder);
        if (reports.Length == 0)
        {
            throw new ResultsException($"{folder.FullName} holds no {Reports}; these come from 'benchmarks run'.");
        }

        Dictionary<string, BenchmarkRow> rows = new(StringComparer.Ordinal);
        string? machine = null;
        string date = string.Empty;
        foreach (FileInfo report in reports.OrderBy(report => report.Name, StringComparer.Ordinal))
        {
            (string of, string day) = ReadReport(report, rows);
            date = string.CompareOrdinal(day, date) > 0 ? day : date;
            if (machine is not null && machine != of)
            {
                throw new ResultsException($"{folder.FullName} mixes machines: {machine} and {of}.");
            }

            machine = of;
        }

        return new ResultsFolder(folder.FullName, machine!, date, rows);
    }

    /// <summary>False for a folder with results of other commands only.</summary>
    public static bool HasReports(DirectoryInfo folder) => FindReports(folder).Length > 0;

    private static FileInfo[] FindReports(DirectoryInfo folder) => folder.GetFiles(Reports, SearchOption.AllDirectories);

    private static (string Machine, string Date) ReadReport(FileInfo report, Dictionary<string, BenchmarkRow> rows)
    {
        try
        {
            using FileStream stream = report.OpenRead();
            using JsonDocument document = JsonDocument.Parse(stream);
            foreach (JsonElement one in document.RootElement.GetProperty("Benchmarks").EnumerateArray())
            {
                BenchmarkRow? row = ReadRow(one);
                if (row is not null)
                {
                    rows[row.ShortName] = row;
                }
            }

            JsonElement host = document.RootElement.GetProperty("HostEnvironmentInfo");
            return (string.Join(", ", MachineParts.Select(part => Describe(part, host))), Day(document.RootElement));
        }
        catch (Exception exception) when (exception is JsonException or KeyNotFoundException or InvalidOperationException)
        {
            throw new ResultsException($"{report.FullName} is not a BenchmarkDotNet report: {exception.Message}");
        }
    }

    /// <summary>A report's title ends with the time of its run, such as -20261121-171932.</summary>
    private static string Day(JsonElement report)
    {
        string[] parts = report.TryGetProperty("Title", out JsonElement title) ? title.ToString().Split('-') : [];
        return parts.Length > 2 && DateOnly.TryParseExact(parts[^2], "yyyyMMdd", out DateOnly day)
            ? day.ToString("yyyy-MM-dd", CultureInfo.InvariantCulture)
            : string.Empty;
    }

    private static string Describe(string part, JsonElement host)
    {
        string value = host.TryGetProperty(part, out JsonElement found) ? found.ToString() : "?";
        return part switch
        {
            "PhysicalCoreCount" => $"{value} cores",
            "LogicalCoreCount" => $"{value} hardware threads",
            _ => value,
        };
    }

    private static BenchmarkRow? ReadRow(JsonElement one)
    {
        // A benchmark that failed has no statistics.
        if (one.GetProperty("Statistics") is not { ValueKind: JsonValueKind.Object } statistics)
        {
            return null;
        }

        if (!one.TryGetProperty("Memory", out JsonElement memory) || memory.ValueKind != JsonValueKind.Object)
        {
            memory = default;
        }

        return new BenchmarkRow(
            one.GetProperty("FullName").GetString()!, statistics.GetProperty("Median").GetDouble(), (long?)Number(memory, "BytesAllocatedPerOperation"),
            Collections(memory));
    }

    private static CollectionRate? Collections(JsonElement memory) =>
        Number(memory, "TotalOperations") is { } operations and > 0
            && Number(memory, "Gen0Collections") is { } gen0
            && Number(memory, "Gen1Collections") is { } gen1
            ? new CollectionRate(gen0 / operations, gen1 / operations)
            : null;

    private static double? Number(JsonElement memory, string name) =>
        memory.ValueKind == JsonValueKind.Object && memory.TryGetProperty(name, out JsonElement value) && value.ValueKind == JsonValueKind.Number
            ? value.GetDouble()
            : null;
}
