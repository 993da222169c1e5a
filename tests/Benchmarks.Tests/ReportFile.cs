using System.Globalization;

namespace Benchmarks.Tests;

/// <summary>A small report as BenchmarkDotNet writes it.</summary>
internal static class ReportFile
{
    public static void Write(DirectoryInfo folder, string file, string processor, params ReadOnlySpan<(string Name, double Median, long? Bytes)> rows)
    {
        List<string> benchmarks = [];
        foreach ((string name, double median, long? bytes) in rows)
        {
            string memory = bytes is null ? "null" : $$"""{"BytesAllocatedPerOperation":{{bytes}}}""";
            benchmarks.Add($$$"""{"FullName":"{{{name}}}","Statistics":{"Median":{{{median.ToString(CultureInfo.InvariantCulture)}}}},"Memory":{{{memory}}}}""");
        }

        File.WriteAllText(
            Path.Combine(folder.FullName, $"{file}-report-brief.json"),
            $$$"""{"Title":"{{{file}}}-20261121-171932","HostEnvironmentInfo":{"ProcessorName":"{{{processor}}}"},"Benchmarks":[{{{string.Join(',', benchmarks)}}}]}""");
    }
}
