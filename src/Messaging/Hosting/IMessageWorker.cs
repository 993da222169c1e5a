using Messaging.Telemetry;

namespace Messaging.Hosting;

/// <summary>The worker of a host; a singleton of the container. The host starts and stops it. Threads: any.</summary>
public interface IMessageWorker
{
    /// <summary>
    /// False to check and open everything at the host's start but to receive only from <see cref="StartReceiving"/> on. Set before the host
    /// starts; true by default.
    /// </summary>
    bool ReceiveOnStart { get; set; }

    /// <summary>False once a drain had to cut messages off: they are returned to their sources.</summary>
    bool DrainedCleanly { get; }

    /// <summary>What became of a route's messages since the start, as <see cref="RouteStatus.Totals"/>; allocates nothing.</summary>
    /// <exception cref="ArgumentException">The worker has no route of this name, or has not started.</exception>
    RouteTotals GetTotals(string route);

    /// <summary>Begins to receive on every route; does nothing once the worker stops. Call it once, after the host has started.</summary>
    void StartReceiving();
}
