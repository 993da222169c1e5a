using System.Globalization;
using System.Runtime.InteropServices;

namespace Benchmarks;

/// <summary>A process's resident memory as Linux counts it, in MiB.</summary>
/// <param name="ResidentMiB">Now.</param>
/// <param name="PeakMiB">The most since its start.</param>
/// <param name="FileMiB">Of the memory now, the pages of files: the program and its libraries, which the kernel shares between processes and may drop.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct ProcessMemory(double ResidentMiB, double PeakMiB, double FileMiB)
{
    /// <returns>Zeros where there is no /proc.</returns>
    public static ProcessMemory Of(int process)
    {
        string status = string.Create(CultureInfo.InvariantCulture, $"/proc/{process}/status");
        return File.Exists(status) ? Parse(File.ReadAllLines(status)) : default;
    }

    /// <summary>Reads the lines of /proc/PID/status.</summary>
    public static ProcessMemory Parse(string[] lines) => new(MiB(lines, "VmRSS:"), MiB(lines, "VmHWM:"), MiB(lines, "RssFile:"));

    private static double MiB(string[] lines, string name) =>
        long.Parse(
            Array.Find(lines, line => line.StartsWith(name, StringComparison.Ordinal))!.Split((char[])[' ', '\t'], StringSplitOptions.RemoveEmptyEntries)[1],
            CultureInfo.InvariantCulture) / 1024.0;
}
