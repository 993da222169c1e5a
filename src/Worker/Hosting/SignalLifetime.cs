using System.Runtime.InteropServices;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Worker.Hosting;

/// <summary>SIGTERM or SIGINT stops the worker and lets it drain; a second one ends the drain at once.</summary>
internal sealed partial class SignalLifetime(IHostApplicationLifetime lifetime, WorkerService worker, ILogger<SignalLifetime> logger) : IHostLifetime, IDisposable
{
    private PosixSignalRegistration? _terminate;
    private PosixSignalRegistration? _interrupt;

    public Task WaitForStartAsync(CancellationToken cancellationToken)
    {
        _terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, OnSignal);
        _interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, OnSignal);
        return Task.CompletedTask;
    }

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public void Dispose()
    {
        _terminate?.Dispose();
        _interrupt?.Dispose();
    }

    private void OnSignal(PosixSignalContext signal)
    {
        signal.Cancel = true;
        if (lifetime.ApplicationStopping.IsCancellationRequested)
        {
            LogSecondSignal(signal.Signal);
            worker.StopNow();
        }
        else
        {
            LogSignal(signal.Signal);

            // Not on this thread: whoever reacts to the stop may take its time, and the second signal must get through.
            ThreadPool.UnsafeQueueUserWorkItem(static state => state.StopApplication(), lifetime, preferLocal: false);
        }
    }

    [LoggerMessage(1201, LogLevel.Information, "{Signal} received: stopping")]
    private partial void LogSignal(PosixSignal signal);

    [LoggerMessage(1202, LogLevel.Warning, "{Signal} received again: what is in flight goes back to its source now")]
    private partial void LogSecondSignal(PosixSignal signal);
}
