using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Text.RegularExpressions;

namespace Integration.Tests.Processes;

/// <summary>
/// A child process under a test's control: output line by line, signals, and a guaranteed end. Disposing kills it with
/// all its children; when the test process itself dies, <see cref="OrphanGuard"/> kills them.
/// </summary>
internal class CapturedProcess : IAsyncDisposable
{
    /// <summary>Default timeout of a wait: far above what two busy cores need, far below the time limit of the test run.</summary>
    public static readonly TimeSpan DefaultTimeout = TimeSpan.FromSeconds(60);

    private readonly Process _process;
    private readonly Task _exited;
    private bool _disposed;

    protected CapturedProcess(ProcessStartInfo startInfo)
    {
        startInfo.RedirectStandardInput = true;
        startInfo.RedirectStandardOutput = true;
        startInfo.RedirectStandardError = true;
        startInfo.UseShellExecute = false;
        Description = $"{startInfo.FileName} {string.Join(' ', startInfo.ArgumentList)}";

        _process = new Process { StartInfo = startInfo };
        _process.OutputDataReceived += (_, line) => Capture(line.Data, isError: false);
        _process.ErrorDataReceived += (_, line) => Capture(line.Data, isError: true);
        _process.Start();
        OrphanGuard.Shared.Guard(_process.Id);
        _process.BeginOutputReadLine();
        _process.BeginErrorReadLine();
        Id = _process.Id;
        _exited = WatchExitAsync();
    }

    public int Id { get; }

    public string Description { get; }

    public CapturedOutput Output { get; } = new();

    public bool HasExited => _exited.IsCompleted;

    /// <summary>The exit code; 128 + n after signal n. Valid only after the exit.</summary>
    public int ExitCode => _process.ExitCode;

    /// <summary>Starts any program, with the environment of the test process.</summary>
    public static CapturedProcess Start(string fileName, params IEnumerable<string> arguments) => new(new ProcessStartInfo(fileName, arguments));

    public Task<CapturedLine> WaitForLineAsync(
        [StringSyntax(StringSyntaxAttribute.Regex)] string pattern, TimeSpan? timeout = null, int from = 0, CancellationToken cancellationToken = default) =>
        Output.WaitForLineAsync(new Regex(pattern, RegexOptions.NonBacktracking), timeout ?? DefaultTimeout, from, cancellationToken);

    /// <summary>Sends SIGKILL and returns immediately; <see cref="WaitForExitAsync"/> waits for its effect.</summary>
    public void Kill() => SendUnlessExited(ProcessSignal.Kill);

    /// <summary>Returns once the signal is sent; for <see cref="ProcessSignal.Stop"/>, once the process has stopped.</summary>
    public async Task SignalAsync(ProcessSignal signal)
    {
        SendUnlessExited(signal);
        if (signal != ProcessSignal.Stop)
        {
            return;
        }

        var waited = Stopwatch.StartNew();
        while (PosixSignals.IsStopped(Id) == false)
        {
            if (waited.Elapsed > DefaultTimeout)
            {
                throw new TimeoutException($"{Description} did not stop. {Output.Describe()}");
            }

            await Task.Delay(1);
        }
    }

    /// <returns>The exit code, after all output has been read.</returns>
    /// <exception cref="TimeoutException">The process is still running; the message holds its output.</exception>
    public async Task<int> WaitForExitAsync(TimeSpan? timeout = null, CancellationToken cancellationToken = default)
    {
        TimeSpan limit = timeout ?? DefaultTimeout;
        try
        {
            await _exited.WaitAsync(limit, cancellationToken);
        }
        catch (TimeoutException exception)
        {
            throw new TimeoutException($"{Description} still runs after {limit}. {Output.Describe()}", exception);
        }

        return ExitCode;
    }

    public async ValueTask DisposeAsync()
    {
        if (_disposed)
        {
            return;
        }

        _disposed = true;
        if (!HasExited)
        {
            _process.Kill(entireProcessTree: true);
        }

        // A grandchild that left the process tree may hold the output pipes open; reading then ends here.
        await _exited.WaitAsync(TimeSpan.FromSeconds(10)).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        // Test runners show this output only for failed tests.
        TestContext.Current.TestOutputHelper?.WriteLine($"{Description} (process {Id}{(HasExited ? $", exit code {ExitCode}" : "")})\n{Output.Describe(2000)}");
        _process.Dispose();
        await CleanUpAsync();
        GC.SuppressFinalize(this);
    }

    /// <summary>Runs once, after the process has ended.</summary>
    protected virtual ValueTask CleanUpAsync() => ValueTask.CompletedTask;

    /// <summary>Ends the process's standard input.</summary>
    public void CloseInput() => _process.StandardInput.Close();

    private void SendUnlessExited(ProcessSignal signal)
    {
        // After the exit another process may have the id.
        if (!_process.HasExited)
        {
            PosixSignals.Send(Id, signal);
        }
    }

    private void Capture(string? line, bool isError)
    {
        if (line is not null)
        {
            Output.Add(line, isError);
        }
    }

    private async Task WatchExitAsync()
    {
        await _process.WaitForExitAsync();
        OrphanGuard.Shared.Release(Id);
        Output.Complete();
    }
}
