using System.Diagnostics;

namespace Integration.Tests.Processes;

/// <summary>
/// Ends the children of a test process that dies without cleaning up (kill -9, a crash, a run's time limit). A shell
/// reads the process ids from a pipe; the kernel closes the pipe with the test process, and the shell kills the remaining children.
/// PR_SET_PDEATHSIG does not work here: it is bound to the forking thread, and pool threads end.
/// </summary>
internal sealed class OrphanGuard : IDisposable
{
    // Ignores the signals, because Ctrl-C in a terminal reaches the whole process group.
    private const string Script = """
        trap '' HUP INT TERM
        guarded=
        while read -r verb id; do
          case $verb in
            guard) guarded="$guarded $id" ;;
            release) rest=; for g in $guarded; do [ "$g" = "$id" ] || rest="$rest $g"; done; guarded=$rest ;;
          esac
        done
        for id in $guarded; do kill -KILL "$id"; done
        """;

    private readonly Lock _gate = new();
    private readonly Process? _shell;

    public OrphanGuard()
    {
        if (!OperatingSystem.IsWindows())
        {
            _shell = Process.Start(new ProcessStartInfo("/bin/sh", ["-c", Script])
            {
                UseShellExecute = false,
                RedirectStandardInput = true,
                RedirectStandardOutput = true,
                RedirectStandardError = true,
            });
            _shell!.StandardInput.AutoFlush = true;
        }
    }

    /// <summary>The guard of this test process; its pipe closes with the process.</summary>
    public static OrphanGuard Shared { get; } = new();

    public void Guard(int processId) => Send("guard", processId);

    public void Release(int processId) => Send("release", processId);

    /// <summary>Kills every process that is guarded and not released.</summary>
    public void Dispose() => _shell?.StandardInput.Close();

    private void Send(string verb, int processId)
    {
        lock (_gate)
        {
            _shell?.StandardInput.WriteLine($"{verb} {processId}");
        }
    }
}
