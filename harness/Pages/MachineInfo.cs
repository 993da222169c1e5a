using System.Reflection;
using System.Runtime.InteropServices;

namespace Harness.Pages;

/// <summary>The machine and the commit of a measurement. The commit is the checked-out one at build time; uncommitted changes do not show.</summary>
internal sealed record MachineInfo(string Processor, int Cores, string System, string Runtime, string Commit)
{
    private const string CpuInfo = "/proc/cpuinfo";

    public static MachineInfo Current() =>
        new(ProcessorName(), Environment.ProcessorCount, RuntimeInformation.OSDescription, RuntimeInformation.FrameworkDescription, CommitName());

    public override string ToString() => $"{Processor}, {Cores} hardware threads, {System}, {Runtime}, commit {Commit}";

    private static string ProcessorName()
    {
        string? line = File.Exists(CpuInfo) ? File.ReadLines(CpuInfo).FirstOrDefault(one => one.StartsWith("model name", StringComparison.Ordinal)) : null;
        return line is null ? RuntimeInformation.ProcessArchitecture.ToString() : line[(line.IndexOf(':', StringComparison.Ordinal) + 1)..].Trim();
    }

    // The SDK appends the commit: 1.0.0+<hash>.
    private static string CommitName()
    {
        string? version = typeof(MachineInfo).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion;
        int plus = version?.IndexOf('+', StringComparison.Ordinal) ?? -1;
        return plus < 0 ? "unknown" : version!.Substring(plus + 1, Math.Min(12, version.Length - plus - 1));
    }
}
