using System.Globalization;
using System.Text;
using Benchmarks.Pipelines.Chains;
using Benchmarks.Reports;

namespace Benchmarks.Cold;

/// <summary>Compose and first message in new processes, all variants in turn within a round, so that a slow minute affects all alike; medians.</summary>
internal static class ColdStart
{
    private static readonly int[] Depths = [10, 40];

    private static readonly TimeSpan ChildLimit = TimeSpan.FromSeconds(60);

    public static async Task<int> RunAsync(int launches, DirectoryInfo? output, CancellationToken cancellationToken)
    {
        // Before measuring, so that a folder that cannot be created fails first.
        output?.Create();
        Dictionary<(Variant, int), List<double>> samples = [];
        for (int launch = 0; launch < launches; launch++)
        {
            foreach (Variant variant in Enum.GetValues<Variant>())
            {
                foreach (int depth in Depths)
                {
                    if (!samples.TryGetValue((variant, depth), out List<double>? list))
                    {
                        samples[(variant, depth)] = list = [];
                    }

                    list.Add(await LaunchAsync(variant, depth, cancellationToken));
                }
            }
        }

        string table = Table(samples, launches);
        Console.Out.Write(table);
        if (output is not null)
        {
            await File.WriteAllTextAsync(Path.Combine(output.FullName, "cold-start.md"), table, cancellationToken);
        }

        await ResultsFile.WriteAsync(
            output, "cold-start", $"compose and first message in a new process, median of {launches} launches",
            [.. samples.Select(sample => new { Variant = sample.Key.Item1, Parts = sample.Key.Item2, Microseconds = Medians.Of(sample.Value) })],
            cancellationToken);

        return 0;
    }

    private static async Task<double> LaunchAsync(Variant variant, int depth, CancellationToken cancellationToken)
    {
        using ChildProcess child = ChildProcess.Start("cold-child", variant.ToString(), depth.ToString(CultureInfo.InvariantCulture));
        string line = await child.ReadLineAsync(ChildLimit, cancellationToken);
        return double.Parse(line.Split(' ')[0], CultureInfo.InvariantCulture);
    }

    private static string Table(Dictionary<(Variant Variant, int Depth), List<double>> samples, int launches)
    {
        StringBuilder text = new();
        text.Append(
            CultureInfo.InvariantCulture,
            $"Compose and first message in a new process, ms, median of {launches} launches (parts that await; "
                + $"includes everything that the process compiles for it)\n\n");
        text.Append("| variant | depth 10 | depth 40 | of hand-written, 10 | of hand-written, 40 |\n|---|---:|---:|---:|---:|\n");
        foreach (Variant variant in Enum.GetValues<Variant>())
        {
            double[] medians = [.. Depths.Select(depth => Medians.Of(samples[(variant, depth)]))];
            double[] ratios = [.. Depths.Select((depth, i) => medians[i] / Medians.Of(samples[(Variant.HandWritten, depth)]))];
            text.Append(CultureInfo.InvariantCulture, $"| {variant} | {medians[0] / 1_000:F2} | {medians[1] / 1_000:F2} | {ratios[0]:F2} | {ratios[1]:F2} |\n");
        }

        return text.ToString();
    }
}
