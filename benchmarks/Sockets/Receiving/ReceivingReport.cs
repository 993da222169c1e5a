using System.Globalization;
using System.Text;
using System.Text.Json;
using Harness.Pages;

namespace Benchmarks.Sockets.Receiving;

/// <summary>The figures of one run; BelowSaturation is the last receiver at half its rate, null when nothing can be lost.</summary>
internal sealed record ReceivingReport(
    MachineInfo Machine, DateTimeOffset Taken, ReceivingCase Case, double SecondsARound, int Rounds, int Passes, IReadOnlyList<ReceivingRow> Rows,
    ReceivingPass? BelowSaturation)
{
    private static readonly JsonSerializerOptions Indented = new() { WriteIndented = true };

    public string ToJson() => JsonSerializer.Serialize(this, Indented) + "\n";

    public string ToTable()
    {
        StringBuilder text = new();
        text.Append(
            CultureInfo.InvariantCulture,
            $"{Case.Title}; {Passes} passes in turn, medians of {Rounds} rounds of {SecondsARound} s after warm-up; "
                + $"receiver and sender in separate processes, not pinned\n");
        text.Append(CultureInfo.InvariantCulture, $"{Machine}, {Taken:yyyy-MM-dd}\n\n");
        text.Append(CultureInfo.InvariantCulture, $"| receiver | {Case.Unit}s/s |");
        string rule = "|---|---:|";
        foreach (string baseline in Case.Baselines)
        {
            text.Append(CultureInfo.InvariantCulture, $" times {baseline} |");
            rule += "---:|";
        }

        text.Append(
            CultureInfo.InvariantCulture,
            $" us of processor per {Case.Unit} | B per {Case.Unit} | sent/s |{(Case.MeasuresLoss ? " lost |" : "")}\n{rule}---:|---:|---:|"
                + $"{(Case.MeasuresLoss ? "---:|" : "")}\n");
        foreach (ReceivingRow row in Rows)
        {
            text.Append(CultureInfo.InvariantCulture, $"| {row.Receiver} | {row.PerSecond:N0} |");
            foreach (string baseline in Case.Baselines)
            {
                text.Append(CultureInfo.InvariantCulture, $" {row.PerSecond / Rows.Single(one => one.Receiver == baseline).PerSecond:F2} |");
            }

            text.Append(
                CultureInfo.InvariantCulture,
                $" {row.CpuMicroseconds:F3} | {row.Bytes:F2} | {row.SentPerSecond:N0} |"
                    + $"{(Case.MeasuresLoss ? string.Create(CultureInfo.InvariantCulture, $" {row.Loss:P3} |") : "")}\n");
        }

        if (BelowSaturation is { } half)
        {
            text.Append(
                CultureInfo.InvariantCulture,
                $"\n{half.Receiver} at half of its rate: {half.Sent:N0} {Case.Unit}s sent, {half.Received:N0} received, "
                    + $"{half.Sent - half.Received:N0} lost.\n");
        }

        return text.ToString();
    }
}
