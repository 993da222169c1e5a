using System.Diagnostics;
using System.Text;

namespace Proof.Kills;

/// <summary>A worker in a process of its own, which runs no longer than the command.</summary>
internal sealed class KilledWorker : IAsyncDisposable
{
    private readonly Process _process;
    private readonly CancellationTokenRegistration _end;
    private readonly StringBuilder _output = new();
    private readonly TaskCompletionSource<bool> _receiving = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public KilledWorker(string folder, IEnumerable<string> arguments, CancellationToken stop)
    {
        ProcessStartInfo start = new("dotnet", [Path.Combine(AppContext.BaseDirectory, "Worker.dll"), .. arguments])
        {
            UseShellExecute = false,
            WorkingDirectory = folder,
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        // Without it a killed runtime leaves its files for debuggers.
        start.Environment["DOTNET_EnableDiagnostics"] = "0";
        _process = Process.Start(start)!;
        _end = stop.Register(_process.Kill);
        _process.OutputDataReceived += Take;
        _process.ErrorDataReceived += Take;
        _process.BeginOutputReadLine();
        _process.BeginErrorReadLine();
    }

    /// <summary>Completes with true once the worker receives, and with false when it ended before.</summary>
    public Task<bool> Receiving => _receiving.Task;

    /// <summary>Everything that it printed.</summary>
    public string Output
    {
        get
        {
            lock (_output)
            {
                return _output.ToString();
            }
        }
    }

    /// <summary>SIGTERM.</summary>
    /// <returns>The exit code.</returns>
    public async Task<int> StopAsync()
    {
        using Process kill = Process.Start("kill", ["-TERM", $"{_process.Id}"]);
        await _process.WaitForExitAsync(new CancellationTokenSource(TimeSpan.FromMinutes(2)).Token);
        return _process.ExitCode;
    }

    /// <summary>SIGKILL.</summary>
    public async ValueTask DisposeAsync()
    {
        await _end.DisposeAsync();
        _process.Kill();
        await _process.WaitForExitAsync();
        _process.Dispose();
    }

    private void Take(object sender, DataReceivedEventArgs line)
    {
        if (line.Data is null)
        {
            _receiving.TrySetResult(false);
            return;
        }

        lock (_output)
        {
            _output.AppendLine(line.Data);
        }

        if (line.Data.Contains("receiving from", StringComparison.Ordinal))
        {
            _receiving.TrySetResult(true);
        }
    }
}
