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

    /// <summary>Draws the charts of one run, whose results may be in several folders, into the first of them.</summary>
    /// <returns>0; 2 when there was nothing to draw.</returns>
    public static int Run(DirectoryInfo[] results)
    {
        try
        {
            ResultsFolder[] folders = LabResults.Read(results);
            int drawn = Files.Count(file => Draw(folders, file, Path.Combine(results[0].FullName, file.Name), Console.Out));
            return drawn > 0
                ? 0
                : throw new ResultsException(
                    $"{folders[0].Path} holds none of the suites that the charts show: "
                        + $"{string.Join(", ", Files.SelectMany(file => file.Suites).Select(suite => suite.Name))}.");
        }
        catch (ResultsException exception)
        {
            Console.Error.WriteLine($"error: {exception.Message}");
            return 2;
        }
    }

    /// <summary>Draws the charts again that the folders hold. Folders of the same name are of one run.</summary>
    public static void Redraw(IReadOnlyList<DirectoryInfo> results, TextWriter output)
    {
        foreach (IGrouping<string, DirectoryInfo> run in results.GroupBy(folder => folder.Name, StringComparer.Ordinal))
        {
            foreach ((ChartFile file, string path) in Files
                .SelectMany(file => run.Select(folder => (file, Path.Combine(folder.FullName, file.Name))))
                .Where(one => File.Exists(one.Item2)))
            {
                Draw(LabResults.Read([.. run]), file, path, output);
            }
        }
    }

    private static bool Draw(ResultsFolder[] folders, ChartFile file, string path, TextWriter output)
    {
        (string, IReadOnlyList<ChartRow> Rows)[] groups =
            [.. file.Suites.Select(suite => (suite.Title, Rows(folders, suite.Name))).Where(group => group.Item2.Count > 0)];
        if (groups.Length == 0)
        {
            return false;
        }

        File.WriteAllText(path, SvgChart.File(file.Title, folders[0].Machine, groups, logarithmic: true));
        output.WriteLine(path);
        return true;
    }

    private static IReadOnlyList<ChartRow> Rows(ResultsFolder[] folders, string suite) =>
    [
        .. folders.SelectMany(folder => folder.Rows.Values).Where(row => row.Suite == suite)
            .Select(
                row => new ChartRow(
                    $"{row.Method} {row.Parameters.Split(' ')[^1]}".TrimEnd(), new ChartBar(row.Nanoseconds, $"{row.Nanoseconds:N1} ns, {row.Bytes ?? 0:N0} B"))
                {
                    // In the pipeline's suites, the two recommended forms stand out.
                    IsQuiet = suite.StartsWith("Pipeline", StringComparison.Ordinal) && row.Method is not ("Fused" or "Precompiled"),
                }),
    ];
}
