using System.Runtime.InteropServices;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Quayside.Messaging.Hosting;

/// <summary>The first signal that would end the process stops and drains the worker; a second SIGTERM, SIGINT or SIGQUIT ends the drain immediately.</summary>
internal sealed partial class SignalLifetime(
    ShutdownSignals signals, IHostApplicationLifetime lifetime, WorkerService worker, ILogger<SignalLifetime> logger) : IHostLifetime, IDisposable
{
    private bool _installed;

    public Task WaitForStartAsync(CancellationToken cancellationToken)
    {
        _installed = signals.Install();
        signals.Attach(OnSignal);
        return Task.CompletedTask;
    }

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public void Dispose()
    {
        if (_installed)
        {
            signals.Dispose();
        }
        else
        {
            // Later signals must not change the exit code of the process.
            signals.Detach();
        }
    }

    private void OnSignal(PosixSignal signal, int number)
    {
        if (number > 1)
        {
            LogSecondSignal(ShutdownSignals.NameOf(signal));
            worker.StopNow();
            return;
        }

        LogSignal(ShutdownSignals.NameOf(signal));

        // Not on this thread: callbacks of the stop may block, and the second signal must still arrive.
        ThreadPool.UnsafeQueueUserWorkItem(static state => state.StopApplication(), lifetime, preferLocal: false);
    }

    [LoggerMessage(1201, LogLevel.Information, "{Signal} received: stopping")]
    private partial void LogSignal(string signal);

    [LoggerMessage(1202, LogLevel.Warning, "{Signal} received again: the drain ends now")]
    private partial void LogSecondSignal(string signal);
}
