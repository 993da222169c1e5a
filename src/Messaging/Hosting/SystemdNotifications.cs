using System.Globalization;
using System.Net.Sockets;
using System.Text;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Hosting;

/// <summary>
/// Notifies systemd of the worker's state (<c>Type=notify</c>): ready once it receives, stopping after the first signal, and, with
/// <c>WatchdogSec</c>, alive twice per interval while no route is stuck, so that systemd restarts a stuck worker. Does nothing without
/// <c>NOTIFY_SOCKET</c>.
/// </summary>
/// <param name="socket">The value of <c>NOTIFY_SOCKET</c>; null or empty for none.</param>
/// <param name="watchdog">The value of <c>WATCHDOG_USEC</c>; null or empty for none.</param>
/// <param name="worker">The worker whose routes are checked.</param>
/// <param name="lifetime">The host's.</param>
/// <param name="time">The clock of the watchdog timer.</param>
/// <param name="logger">Takes one warning when systemd cannot be reached.</param>
internal sealed partial class SystemdNotifications(
    string? socket, string? watchdog, IWorkerStatus worker, IHostApplicationLifetime lifetime, TimeProvider time,
    ILogger<SystemdNotifications> logger) : IHostedService, IDisposable
{
    private readonly Lock _gate = new();
    private ITimer? _alive;
    private bool _hasFailed;

    public Task StartAsync(CancellationToken cancellationToken)
    {
        if (!string.IsNullOrEmpty(socket))
        {
            lifetime.ApplicationStarted.Register(Started);
            lifetime.ApplicationStopping.Register(() => Send("STOPPING=1"));
        }

        return Task.CompletedTask;
    }

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public void Dispose() => _alive?.Dispose();

    private void Started()
    {
        Send("READY=1");
        if (long.TryParse(watchdog, CultureInfo.InvariantCulture, out long microseconds) && microseconds > 0)
        {
            // Half the interval, as sd_watchdog_enabled(3) advises. It keeps running during the drain, which may take longer.
            TimeSpan interval = TimeSpan.FromMicroseconds(microseconds) / 2;
            _alive = time.CreateTimer(_ => Alive(), state: null, interval, interval);
        }
    }

    private void Alive()
    {
        if (!worker.GetRoutes().Any(static route => route.IsStuck))
        {
            Send("WATCHDOG=1");
        }
    }

    private void Send(string state)
    {
        lock (_gate)
        {
            try
            {
                using Socket client = new(AddressFamily.Unix, SocketType.Dgram, ProtocolType.Unspecified);

                // A leading @ denotes Linux's abstract namespace, whose names begin with a zero byte.
                client.SendTo(Encoding.ASCII.GetBytes(state), new UnixDomainSocketEndPoint(socket!.StartsWith('@') ? $"\0{socket[1..]}" : socket));
            }
            catch (Exception exception) when (exception is SocketException or ArgumentException)
            {
                if (!_hasFailed)
                {
                    _hasFailed = true;
                    LogFailed(socket!, UntrustedText.Shorten(exception.Message));
                }
            }
        }
    }

    [LoggerMessage(
        1108, LogLevel.Warning, "systemd could not be notified (NOTIFY_SOCKET {Socket}: {Error}). A unit with Type=notify will fail with a start timeout")]
    private partial void LogFailed(string socket, string error);
}
