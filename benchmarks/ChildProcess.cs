using System.Diagnostics;
using System.Reflection;

namespace Benchmarks;

/// <summary>Another process of this program, with other arguments. Disposing it ends the process.</summary>
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

    public ProcessMemory Memory => ProcessMemory.Of(_process.Id);

    public bool HasExited => _process.HasExited;

    public static ChildProcess Start(params string[] arguments) => Start(arguments, []);

    /// <param name="arguments">Its arguments.</param>
    /// <param name="environment">Environment variables in addition to this process's own.</param>
    public static ChildProcess Start(string[] arguments, IEnumerable<(string Name, string Value)> environment) =>
        Start(typeof(ChildProcess).Assembly, arguments, environment);

    /// <param name="program">The program to start.</param>
    /// <param name="arguments">Its arguments.</param>
    /// <param name="environment">Environment variables in addition to this process's own.</param>
    public static ChildProcess Start(Assembly program, string[] arguments, IEnumerable<(string Name, string Value)> environment)
    {
        // The program may run in its own host, under dotnet, or as a library of another process.
        string own = $"{program.GetName().Name}{(OperatingSystem.IsWindows() ? ".exe" : string.Empty)}";
        bool isOwnHost = string.Equals(Path.GetFileName(Environment.ProcessPath), own, StringComparison.Ordinal);
        string host = isOwnHost ? Environment.ProcessPath! : Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") ?? "dotnet";
        return Start(host, isOwnHost ? arguments : [program.Location, .. arguments], environment);
    }

    /// <summary>Starts a build of this program from another commit.</summary>
    /// <param name="program">Its Benchmarks.dll.</param>
    /// <param name="arguments">Its arguments.</param>
    /// <param name="environment">Environment variables in addition to this process's own.</param>
    public static ChildProcess StartOther(FileInfo program, string[] arguments, IEnumerable<(string Name, string Value)> environment) =>
        Start(Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") ?? "dotnet", [program.FullName, .. arguments], environment);

    private static ChildProcess Start(string host, string[] arguments, IEnumerable<(string Name, string Value)> environment)
    {
        ProcessStartInfo start = new(host, arguments) { RedirectStandardInput = true, RedirectStandardOutput = true, UseShellExecute = false };
        foreach ((string name, string value) in environment)
        {
            start.Environment[name] = value;
        }

        return new ChildProcess(Process.Start(start)!, string.Join(' ', arguments));
    }

    /// <summary>The next line that it prints.</summary>
    /// <exception cref="InvalidOperationException">It ended without one; its errors are in this process's standard error.</exception>
    /// <exception cref="TimeoutException">It printed nothing within the limit.</exception>
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

    /// <summary>Sends an empty line and returns the next line that it prints.</summary>
    public Task<string> AskAsync(TimeSpan limit, CancellationToken cancellationToken) => SendAsync(string.Empty, limit, cancellationToken);

    /// <summary>Sends a line and returns the next line that it prints.</summary>
    public async Task<string> SendAsync(string line, TimeSpan limit, CancellationToken cancellationToken)
    {
        await _process.StandardInput.WriteLineAsync(line.AsMemory(), cancellationToken);
        await _process.StandardInput.FlushAsync(cancellationToken);
        return await ReadLineAsync(limit, cancellationToken);
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
