using System.Text.Json;

namespace Benchmarks.Compare;

/// <summary>The reports of one results folder: what BenchmarkDotNet's brief JSON says of the machine and the rows.</summary>
internal sealed record ResultsFolder(string Path, string Machine, IReadOnlyDictionary<string, BenchmarkRow> Rows)
{
    private static readonly string[] MachineParts = ["OsVersion", "ProcessorName", "PhysicalCoreCount", "LogicalCoreCount", "RuntimeVersion", "Architecture", "Configuration"];

    /// <exception cref="ResultsException">No reports, reports of different machines, or a report that is none.</exception>
    public static ResultsFolder Read(DirectoryInfo folder)
    {
        if (!folder.Exists)
        {
            throw new ResultsException($"There is no folder {folder.FullName}.");
        }

        FileInfo[] reports = folder.GetFiles("*-report-brief.json", SearchOption.AllDirectories);
        if (reports.Length == 0)
        {
            throw new ResultsException($"{folder.FullName} holds no *-report-brief.json; these come from 'benchmarks run'.");
        }

        Dictionary<string, BenchmarkRow> rows = new(StringComparer.Ordinal);
        string? machine = null;
        foreach (FileInfo report in reports)
        {
            string of = ReadReport(report, rows);
            if (machine is not null && machine != of)
            {
                throw new ResultsException($"{folder.FullName} mixes machines: {machine} and {of}.");
            }

            machine = of;
        }

        return new ResultsFolder(folder.FullName, machine!, rows);
    }

    private static string ReadReport(FileInfo report, Dictionary<string, BenchmarkRow> rows)
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
                    rows[row.Name] = row;
                }
            }

            JsonElement host = document.RootElement.GetProperty("HostEnvironmentInfo");
            return string.Join(", ", MachineParts.Select(part => Describe(part, host)));
        }
        catch (Exception exception) when (exception is JsonException or KeyNotFoundException or InvalidOperationException)
        {
            throw new ResultsException($"{report.FullName} is no BenchmarkDotNet report: {exception.Message}");
        }
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

        long? bytes = one.TryGetProperty("Memory", out JsonElement memory) && memory.ValueKind == JsonValueKind.Object
            && memory.TryGetProperty("BytesAllocatedPerOperation", out JsonElement allocated) && allocated.ValueKind == JsonValueKind.Number
            ? allocated.GetInt64()
            : null;
        return new BenchmarkRow(one.GetProperty("FullName").GetString()!, statistics.GetProperty("Median").GetDouble(), bytes);
    }
}
