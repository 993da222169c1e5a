using System.Globalization;
using System.Text;
using Benchmarks.EndToEnd.Clients;
using Harness.Pages;

namespace Benchmarks.EndToEnd;

/// <summary>The rows as Markdown tables.</summary>
internal static class EndToEndReport
{
    public static string Write(string machine, IReadOnlyList<EndToEndRow> byInFlight, IReadOnlyList<EndToEndRow> bySize)
    {
        StringBuilder text = new();
        text.Append("# From SQS to S3, end to end\n\n").Append(machine).Append("\n\n");
        foreach (IGrouping<int, EndToEndRow> group in byInFlight.GroupBy(row => row.InFlight))
        {
            EndToEndRow first = group.First();
            text.Append(CultureInfo.InvariantCulture, $"## {InFlight(group.Key)}, {first.Messages:N0} messages of 1 KiB, median of {first.Passes} passes\n\n");
            Table(text, [.. group], row => row.Client.ToString());
        }

        if (bySize.Count > 0)
        {
            text.Append(CultureInfo.InvariantCulture, $"## Flat: {EndToEndOptions.SizesInFlight} in flight\n\n");
            text.Append("| client | messages | us of processor per message | of the row with most messages | bytes per message |\n|---|---:|---:|---:|---:|\n");
            foreach (IGrouping<ClientKind, EndToEndRow> group in bySize.GroupBy(row => row.Client))
            {
                EndToEndRow most = group.MaxBy(row => row.Messages)!;
                foreach (EndToEndRow row in group)
                {
                    text.Append(
                        CultureInfo.InvariantCulture,
                        $"| {row.Client} | {row.Messages:N0} | {row.CpuMicroseconds:F1} | {row.CpuMicroseconds / most.CpuMicroseconds:F2} | {row.Bytes:N0} "
                            + $"|\n");
                }
            }
        }

        return text.ToString();
    }

    /// <summary>The same as a chart.</summary>
    public static string Draw(string machine, IReadOnlyList<EndToEndRow> byInFlight) => SvgChart.File(
        "Processor time per message from SQS to S3, and bytes allocated (logarithmic)",
        machine,
        [.. byInFlight.GroupBy(row => row.InFlight).Select(group => (InFlight(group.Key), Bars(group)))],
        logarithmic: true);

    private static IReadOnlyList<ChartRow> Bars(IEnumerable<EndToEndRow> rows) =>
        [.. rows.Select(
            row => new ChartRow(
                row.Client.ToString(), new ChartBar(row.CpuMicroseconds, $"{Figures.Time(row.CpuMicroseconds / 1e6)}, {Figures.Bytes(row.Bytes)}"))
                { IsQuiet = row.Client != ClientKind.WorkerDirect })];

    private static string InFlight(int messages) =>
        messages == ClientSettings.Found ? $"as many in flight as the worker finds ({ClientSettings.PlainInFlight} in plain loops)" : $"{messages} in flight";

    private static void Table(StringBuilder text, IReadOnlyList<EndToEndRow> rows, Func<EndToEndRow, string> name)
    {
        text.Append(
            "| client | messages/s | us of processor per message | messages per processor second, of SdkSqsSdkS3 / SdkDefaults / SdkTuned / PlainSigned | "
                + "bytes per message | collections 0/1/2 | paused ms | p50 ms | p99 ms | SQS calls per 1,000 | peak RSS, MiB |\n");
        text.Append("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
        foreach (EndToEndRow row in rows)
        {
            text.Append(
                CultureInfo.InvariantCulture,
                $"| {name(row)} | {row.MessagesPerSecond:N0} | {row.CpuMicroseconds:F1} | {Times(rows, ClientKind.SdkSqsSdkS3, row)} / "
                    + $"{Times(rows, ClientKind.SdkDefaults, row)} / {Times(rows, ClientKind.SdkTuned, row)} / {Times(rows, ClientKind.PlainSigned, row)} | "
                    + $"{row.Bytes:N0} | {row.Gen0}/{row.Gen1}/{row.Gen2} | {row.PauseMilliseconds:F0} | {row.P50:F2} | {row.P99:F2} | {row.Calls:F0} | "
                    + $"{row.PeakMiB:F0} |\n");
        }

        text.Append('\n');
    }

    private static string Times(IReadOnlyList<EndToEndRow> rows, ClientKind of, EndToEndRow row) =>
        rows.FirstOrDefault(other => other.Client == of) is { } other
            ? (other.CpuMicroseconds / row.CpuMicroseconds).ToString("F2", CultureInfo.InvariantCulture)
            : "-";
}
