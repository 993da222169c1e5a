using System.Diagnostics;
using System.Text;

namespace Proof.Kills;

/// <summary>A worker in a process of its own.</summary>
internal sealed class KilledWorker : IDisposable
{
    private readonly Process _process;
    private readonly StringBuilder _output = new();
    private readonly TaskCompletionSource<bool> _receiving = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public KilledWorker(string folder, IEnumerable<string> arguments)
    {
        ProcessStartInfo start = new("dotnet", [Path.Combine(AppContext.BaseDirectory, "Worker.dll"), .. arguments])
        {
            UseShellExecute = false,
            WorkingDirectory = folder,
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        _process = Process.Start(start)!;
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

    /// <summary>SIGKILL.</summary>
    public Task KillAsync()
    {
        _process.Kill();
        return _process.WaitForExitAsync();
    }

    /// <summary>SIGTERM.</summary>
    /// <returns>The exit code.</returns>
    public async Task<int> StopAsync()
    {
        using Process kill = Process.Start("kill", ["-TERM", $"{_process.Id}"]);
        await _process.WaitForExitAsync(new CancellationTokenSource(TimeSpan.FromMinutes(2)).Token);
        return _process.ExitCode;
    }

    public void Dispose()
    {
        if (!_process.HasExited)
        {
            _process.Kill();
        }

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
