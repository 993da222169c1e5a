using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Integration.Tests.Processes;

/// <summary>
/// A shell without job control starts background jobs with SIGINT and SIGQUIT ignored, and every process of these tests would
/// inherit that: the worker respects it, and a test that sends SIGINT would never end.
/// </summary>
internal static class SignalDispositions
{
    private const int Interrupt = 2;
    private const int Quit = 3;
    private const nint Default = 0;

    [ModuleInitializer]
    internal static void Restore()
    {
        if (!OperatingSystem.IsLinux())
        {
            return;
        }

        // Only ignored signals: signal(2) would clear the flags of the runtime's own handlers.
        const string field = "SigIgn:";
        string line = File.ReadLines("/proc/self/status").First(line => line.StartsWith(field, StringComparison.Ordinal));
        ulong ignored = Convert.ToUInt64(line[field.Length..].Trim(), 16);
        foreach (int signal in (ReadOnlySpan<int>)[Interrupt, Quit])
        {
            if ((ignored & (1UL << (signal - 1))) != 0)
            {
                Signal(signal, Default);
            }
        }
    }

    [DllImport("libc", EntryPoint = "signal")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern nint Signal(int signal, nint handler);
}
