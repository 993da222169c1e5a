using System.Globalization;
using System.Text;
using Benchmarks.Keys;
using Harness.Pages;

namespace Lab.Alternatives;

/// <summary>The rows as Markdown tables and as a chart.</summary>
internal static class AlternativesReport
{
    public static string Write(string machine, int messages, int rounds, IReadOnlyList<AlternativeRow> rows)
    {
        StringBuilder text = new();
        text.Append(
            CultureInfo.InvariantCulture,
            $"# From a publisher to a handler in one process\n\n{machine}\n\n{messages:N0} messages of {KeyInput.Bytes().Length} B per round, medians of "
                + $"{rounds} rounds; at most {RunnerProcess.InFlight} in flight and {RunnerProcess.Capacity:N0} waiting. Processor time includes the "
                + $"publisher. The worker copies the body; the loops and blocks pass a reference.\n\n");
        foreach (IGrouping<WorkKind, AlternativeRow> work in rows.GroupBy(row => row.Work))
        {
            double worker = work.FirstOrDefault(row => row.Runner == nameof(RunnerKind.Worker))?.ProcessorNanoseconds ?? double.NaN;
            text.Append(
                CultureInfo.InvariantCulture,
                $"## {work.Key}\n\n| runner | ns of processor per message | of the worker's | bytes per message | messages/s | peak RSS, MiB "
                    + $"|\n|---|---:|---:|---:|---:|---:|\n");
            foreach (AlternativeRow row in work)
            {
                text.Append(
                    CultureInfo.InvariantCulture,
                    $"| {row.Runner} | {row.ProcessorNanoseconds:N0} | {row.ProcessorNanoseconds / worker:F2} | {row.Bytes:N0} | {row.MessagesPerSecond:N0} | "
                        + $"{row.PeakMiB:F0} |\n");
            }

            text.Append('\n');
        }

        return text.ToString();
    }

    /// <summary>The same as a chart.</summary>
    public static string Draw(string machine, IReadOnlyList<AlternativeRow> rows) => SvgChart.File(
        "Processor time per message from a publisher to a handler in one process (logarithmic)",
        machine,
        [.. rows.GroupBy(row => row.Work).Select(work => (work.Key.ToString(), Bars(work)))],
        logarithmic: true);

    private static IReadOnlyList<ChartRow> Bars(IEnumerable<AlternativeRow> rows) =>
        [.. rows.Select(
            row => new ChartRow(
                row.Runner, new ChartBar(row.ProcessorNanoseconds, $"{Figures.Time(row.ProcessorNanoseconds / 1e9)}, {Figures.Bytes(row.Bytes)}"))
                { IsQuiet = row.Runner != nameof(RunnerKind.Worker) })];
}
