using System.Globalization;
using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization;
using Harness.Pages;

namespace Benchmarks.Aws.Put;

/// <summary>The figures of one run of the command.</summary>
internal sealed record PutReport(
    MachineInfo Machine, DateTimeOffset Taken, int BodyBytes, int InFlight, double SecondsARound, int Passes, IReadOnlyList<PutRow> Rows)
{
    private static readonly JsonSerializerOptions Indented = new() { WriteIndented = true, Converters = { new JsonStringEnumConverter() } };

    public string ToJson() => JsonSerializer.Serialize(this, Indented) + "\n";

    public string ToTable()
    {
        PutRow defaults = Rows.Single(row => row.Client == PutClientKind.SdkDefaults);
        PutRow tuned = Rows.Single(row => row.Client == PutClientKind.SdkTuned);
        StringBuilder text = new();
        text.Append(
            CultureInfo.InvariantCulture,
            $"PUT of {BodyBytes} bytes, {InFlight} in flight, {Passes} passes in turn, medians of rounds of {SecondsARound} s after warm-up; processes not "
                + $"pinned, client and server share the machine\n");
        text.Append(CultureInfo.InvariantCulture, $"{Machine}, {Taken:yyyy-MM-dd}\n\n");
        text.Append(
            "| client | B per PUT | us of processor per PUT | PUT per processor second | times defaults | times tuned | PUT/s | times defaults | times tuned | "
                + "server, us of processor per PUT | settled |\n");
        text.Append("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
        foreach (PutRow row in Rows)
        {
            text.Append(
                CultureInfo.InvariantCulture,
                $"| {row.Client} | {row.BytesAPut:N0} | {row.CpuMicrosecondsAPut:F1} | {row.PutsACpuSecond:N0} | "
                    + $"{row.PutsACpuSecond / defaults.PutsACpuSecond:F1} | {row.PutsACpuSecond / tuned.PutsACpuSecond:F1} ");
            text.Append(
                CultureInfo.InvariantCulture,
                $"| {row.PutsASecond:N0} | {row.PutsASecond / defaults.PutsASecond:F1} | {row.PutsASecond / tuned.PutsASecond:F1} | "
                    + $"{row.ServerCpuMicrosecondsAPut:F1} | {row.Settled} of {Passes} |\n");
        }

        return text.ToString();
    }
}
