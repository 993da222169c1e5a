using Benchmarks.Compare;

namespace Benchmarks.Charts;

/// <summary>Draws the charts of a results folder from its reports.</summary>
internal static class ChartCommand
{
    private static readonly (string Suite, string Title)[] Charts =
    [
        ("PipelineExecutionReturningBenchmarks", "Parts return what next returns"),
        ("PipelineExecutionAwaitingBenchmarks", "Parts await; nothing suspends"),
        ("PipelineExecutionRealHopBenchmarks", "The innermost part really suspends"),
        ("PipelineExceptionBenchmarks", "The innermost part throws after a suspension"),
    ];

    public static int Run(DirectoryInfo results)
    {
        try
        {
            ResultsFolder folder = ResultsFolder.Read(results);
            BarGroup[] groups = [.. Charts.Select(chart => Group(folder, chart.Suite, chart.Title)).Where(group => group.Bars.Count > 0)];
            if (groups.Length == 0)
            {
                throw new ResultsException($"{folder.Path} holds none of the suites that are drawn: {string.Join(", ", Charts.Select(chart => chart.Suite))}.");
            }

            string svg = BarChart.Draw("Nanoseconds a message, by form and depth (logarithmic)", folder.Machine, groups);
            string path = Path.Combine(results.FullName, "pipeline.svg");
            File.WriteAllText(path, svg);
            Console.Out.WriteLine(path);
            return 0;
        }
        catch (ResultsException exception)
        {
            Console.Error.WriteLine($"error: {exception.Message}");
            return 2;
        }
    }

    /// <summary>Rows are named Namespace.Suite.Method(Depth: n).</summary>
    private static BarGroup Group(ResultsFolder folder, string suite, string title)
    {
        List<Bar> bars = [];
        foreach (BenchmarkRow row in folder.Rows.Values)
        {
            string[] parts = row.Name.Split('.', '(', ':', ')');
            int at = Array.IndexOf(parts, suite);
            if (at >= 0)
            {
                bars.Add(new Bar($"{parts[at + 1]} {parts[at + 3].Trim()}", row.Nanoseconds, row.Bytes ?? 0));
            }
        }

        return new BarGroup(title, bars);
    }
}
