using Benchmarks.Compare;
using Harness.Pages;

namespace Lab.Charts;

/// <summary>Draws the charts of a results folder from its reports.</summary>
internal static class ChartCommand
{
    private static readonly ChartFile[] Files =
    [
        new("pipeline.svg", "Nanoseconds per message, by form and depth (logarithmic)",
        [
            ("PipelineExecutionReturningBenchmarks", "Parts return what next returns"),
            ("PipelineExecutionAwaitingBenchmarks", "Parts await; nothing suspends"),
            ("PipelineExecutionRealHopBenchmarks", "The innermost part really suspends"),
            ("PipelineExceptionBenchmarks", "The innermost part throws after a suspension"),
        ]),
        new("keys.svg", "Nanoseconds per message, JSON and keys (logarithmic)",
        [
            ("ObjectKeyBuilderBenchmarks", "Values to key"),
            ("MessageToKeyBenchmarks", "Message of 300 bytes to key"),
            ("MessageReadingBenchmarks", "Five properties of a message of 300 bytes"),
            ("BulkResponseReadingBenchmarks", "Failed ids of a bulk response of 25 KB"),
        ]),
    ];

    public static int Run(DirectoryInfo results)
    {
        try
        {
            ResultsFolder folder = ResultsFolder.Read(results);
            int drawn = Files.Count(file => Draw(folder, results, file));
            return drawn > 0
                ? 0
                : throw new ResultsException($"{folder.Path} holds none of the suites that the charts show: {string.Join(", ", Files.SelectMany(file => file.Suites).Select(suite => suite.Name))}.");
        }
        catch (ResultsException exception)
        {
            Console.Error.WriteLine($"error: {exception.Message}");
            return 2;
        }
    }

    private static bool Draw(ResultsFolder folder, DirectoryInfo results, ChartFile file)
    {
        (string, IReadOnlyList<ChartRow> Rows)[] groups = [.. file.Suites.Select(suite => (suite.Title, Rows(folder, suite.Name))).Where(group => group.Item2.Count > 0)];
        if (groups.Length == 0)
        {
            return false;
        }

        string path = Path.Combine(results.FullName, file.Name);
        File.WriteAllText(path, SvgChart.File(file.Title, folder.Machine, groups, logarithmic: true));
        Console.Out.WriteLine(path);
        return true;
    }

    private static IReadOnlyList<ChartRow> Rows(ResultsFolder folder, string suite) =>
    [
        .. folder.Rows.Values.Where(row => row.Suite == suite)
            .Select(row => new ChartRow($"{row.Method} {row.Parameters.Split(' ')[^1]}".TrimEnd(), new ChartBar(row.Nanoseconds, $"{row.Nanoseconds:N1} ns, {row.Bytes ?? 0:N0} B"))
            {
                // In the pipeline's suites, the two recommended forms stand out.
                IsQuiet = suite.StartsWith("Pipeline", StringComparison.Ordinal) && row.Method is not ("Fused" or "Precompiled"),
            }),
    ];
}
