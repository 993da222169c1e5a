using System.Globalization;

namespace Tests.Shared.Reports;

/// <summary>A small report as BenchmarkDotNet writes it.</summary>
internal static class ReportFile
{
    public static void Write(DirectoryInfo folder, string file, string processor, params ReadOnlySpan<(string Name, double Median, long? Bytes)> rows) =>
        Write(folder, file, processor, operations: 0, rows);

    /// <summary>Reports three collections of generation 0 and one of generation 1 in that many operations; no collections for 0.</summary>
    public static void Write(
        DirectoryInfo folder, string file, string processor, long operations, params ReadOnlySpan<(string Name, double Median, long? Bytes)> rows)
    {
        string collections =
            operations == 0 ? string.Empty : $$""","Gen0Collections":3,"Gen1Collections":1,"Gen2Collections":0,"TotalOperations":{{operations}}""";
        List<string> benchmarks = [];
        foreach ((string name, double median, long? bytes) in rows)
        {
            string memory = bytes is null ? "null" : $$"""{"BytesAllocatedPerOperation":{{bytes}}{{collections}}}""";
            benchmarks.Add(
                $$$"""{"FullName":"{{{name}}}","Statistics":{"Median":{{{median.ToString(CultureInfo.InvariantCulture)}}}},"Memory":{{{memory}}}}""");
        }

        File.WriteAllText(
            Path.Combine(folder.FullName, $"{file}-report-brief.json"),
            $$$"""{"Title":"{{{file}}}-20261121-171932","HostEnvironmentInfo":{"ProcessorName":"{{{processor}}}"},"Benchmarks":[{{{string.Join(',', benchmarks)}}}]}""");
    }
}
