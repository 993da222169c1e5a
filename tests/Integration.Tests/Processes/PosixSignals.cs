using System.ComponentModel;
using System.Runtime.InteropServices;

namespace Integration.Tests.Processes;

/// <summary>kill(2), which .NET exposes only for SIGKILL.</summary>
internal static class PosixSignals
{
    private const int NoSuchProcess = 3; // ESRCH, the same number on Linux, macOS and the BSDs

    /// <returns>False when the process no longer exists.</returns>
    public static bool Send(int processId, ProcessSignal signal)
    {
        if (Kill(processId, NumberOf(signal)) == 0)
        {
            return true;
        }

        int error = Marshal.GetLastPInvokeError();
        return error == NoSuchProcess ? false : throw new Win32Exception(error, $"kill({processId}, {signal})");
    }

    /// <summary>Whether the kernel reports the process as stopped; null where there is no /proc or no such process.</summary>
    public static bool? IsStopped(int processId)
    {
        try
        {
            // "pid (name) S …": the name may hold blanks and brackets, so the state follows the last bracket.
            string stat = File.ReadAllText($"/proc/{processId}/stat");
            return stat[stat.LastIndexOf(')') + 2] is 'T' or 't';
        }
        catch (IOException)
        {
            return null;
        }
    }

    private static int NumberOf(ProcessSignal signal) => signal switch
    {
        ProcessSignal.Interrupt => 2,
        ProcessSignal.Terminate => 15,
        ProcessSignal.Kill => 9,
        ProcessSignal.Stop => OperatingSystem.IsLinux() ? 19 : 17,
        ProcessSignal.Continue => OperatingSystem.IsLinux() ? 18 : 19,
        ProcessSignal.Hangup => 1,
        ProcessSignal.Quit => 3,
        ProcessSignal.User1 when OperatingSystem.IsLinux() => 10,
        ProcessSignal.User2 when OperatingSystem.IsLinux() => 12,
        ProcessSignal.Alarm when OperatingSystem.IsLinux() => 14,
        ProcessSignal.CpuLimit when OperatingSystem.IsLinux() => 24,
        ProcessSignal.PowerFailure when OperatingSystem.IsLinux() => 30,
        _ => throw new ArgumentOutOfRangeException(nameof(signal)),
    };

    [DllImport("libc", EntryPoint = "kill", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int Kill(int pid, int signal);
}
