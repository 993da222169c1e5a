using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.CommandLine;

/// <summary>
/// Applies changes of the section Logging while the worker runs. The content of the files is read every few seconds: notices of the kernel miss files on
/// network disks and those that Kubernetes replaces through a link. Threads: its own loop.
/// </summary>
internal sealed partial class LoggingReload(LoggingSettings settings, TimeProvider time, ILogger<LoggingReload> logger) : BackgroundService
{
    /// <summary>Between two readings.</summary>
    public static readonly TimeSpan Interval = TimeSpan.FromSeconds(5);

    private string? _problem;
    private bool _isLogged;

    /// <summary>Reads the files once.</summary>
    public void Refresh()
    {
        try
        {
            if (settings.Refresh() is { } changes)
            {
                LogChanged(UntrustedText.Shorten(changes));
            }

            _problem = null;
        }
        catch (InvalidDataException exception)
        {
            // The first time it may be a file that is just being written.
            if (_problem == exception.Message && !_isLogged)
            {
                _isLogged = true;
                LogUnreadable(UntrustedText.Shorten(exception.Message));
            }

            _isLogged &= _problem == exception.Message;
            _problem = exception.Message;
        }
    }

    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        while (!stoppingToken.IsCancellationRequested)
        {
            await Task.Delay(Interval, time, stoppingToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);

            // A disk that hangs must not hold up the stop.
            await Task.Run(Refresh, stoppingToken).WaitAsync(stoppingToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    // A warning, since it is written at the new level.
    [LoggerMessage(1115, LogLevel.Warning, "The section Logging was changed while the worker runs: {Changes}")]
    private partial void LogChanged(string changes);

    [LoggerMessage(1116, LogLevel.Warning, "A changed section Logging cannot be used, and logs stay as they are: {Problem} The file is read again every 5 s")]
    private partial void LogUnreadable(string problem);
}
