using System.Diagnostics;

namespace Benchmarks.Put;

/// <summary>This program once more, with other arguments. Disposing ends it.</summary>
internal sealed class ChildProcess : IDisposable
{
    private readonly Process _process;
    private readonly string _name;

    private ChildProcess(Process process, string name)
    {
        _process = process;
        _name = name;
    }

    /// <summary>Processor time so far, user and kernel.</summary>
    public TimeSpan ProcessorTime
    {
        get
        {
            _process.Refresh();
            return _process.TotalProcessorTime;
        }
    }

    public static ChildProcess Start(params string[] arguments)
    {
        // Started by its own host or by dotnet.
        string host = Environment.ProcessPath!;
        bool isDotnet = Path.GetFileNameWithoutExtension(host) == "dotnet";
        string[] all = isDotnet ? [typeof(ChildProcess).Assembly.Location, .. arguments] : arguments;
        ProcessStartInfo start = new(host, all) { RedirectStandardInput = true, RedirectStandardOutput = true, UseShellExecute = false };
        return new ChildProcess(Process.Start(start)!, string.Join(' ', arguments));
    }

    /// <summary>The next line that it prints.</summary>
    /// <exception cref="InvalidOperationException">It ended without one; its errors went to this process's own.</exception>
    /// <exception cref="TimeoutException">It said nothing in time.</exception>
    public async Task<string> ReadLineAsync(TimeSpan limit, CancellationToken cancellationToken)
    {
        string? line = await _process.StandardOutput.ReadLineAsync(cancellationToken).AsTask().WaitAsync(limit, cancellationToken);
        if (line is not null)
        {
            return line;
        }

        await _process.WaitForExitAsync(cancellationToken);
        throw new InvalidOperationException($"'{_name}' ended with exit code {_process.ExitCode} and no result.");
    }

    public void Dispose()
    {
        if (!_process.HasExited)
        {
            _process.Kill();
        }

        _process.Dispose();
    }
}
