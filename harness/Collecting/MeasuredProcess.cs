using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Harness.Collecting;

/// <summary>Starts the measured child and connects to it.</summary>
internal static class MeasuredProcess
{
    /// <summary>Set in the child: the handles of its two pipes to the collecting process.</summary>
    public const string PipesVariable = "HARNESS_COLLECTOR_PIPES";

    private const string PortsVariable = "DOTNET_DiagnosticPorts";

    public static ProcessStartInfo Create(IReadOnlyList<string> arguments, string port, string requests, string replies)
    {
        ProcessStartInfo start = Again(arguments);
        string? others = Environment.GetEnvironmentVariable(PortsVariable);
        start.Environment[PortsVariable] = string.IsNullOrEmpty(others) ? $"{port},suspend" : $"{port},suspend;{others}";
        start.Environment["DOTNET_EnableDiagnostics"] = "1";
        start.Environment["DOTNET_EnableDiagnostics_IPC"] = "1";
        start.Environment[PipesVariable] = $"{requests},{replies}";
        return start;
    }

    /// <summary>Starts this program again.</summary>
    public static ProcessStartInfo Again(IReadOnlyList<string> arguments)
    {
        string program = Environment.ProcessPath!;

        // For a start with `dotnet Harness.dll`, the program is dotnet. A native program has no assembly with a location.
        bool isHost = Path.GetFileNameWithoutExtension(program).Equals("dotnet", StringComparison.OrdinalIgnoreCase);
        string assembly = Path.Combine(AppContext.BaseDirectory, $"{typeof(MeasuredProcess).Assembly.GetName().Name}.dll");
        return new ProcessStartInfo(program, [.. isHost ? [assembly] : Array.Empty<string>(), .. arguments]) { UseShellExecute = false };
    }

    /// <summary>
    /// Forwards the signal to the child. A terminal's Ctrl+C reaches both processes, but a signal sent to this process does not reach
    /// the child. A second signal has the same effect on the child as the first.
    /// </summary>
    public static void Forward(Process child, PosixSignalContext context)
    {
        context.Cancel = true;
        if (!OperatingSystem.IsWindows() && !child.HasExited)
        {
            _ = Kill(child.Id, context.Signal == PosixSignal.SIGINT ? 2 : 15);
        }
    }

    [DllImport("libc", EntryPoint = "kill")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int Kill(int pid, int signal);
}
