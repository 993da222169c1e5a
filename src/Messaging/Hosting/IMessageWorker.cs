using Messaging.Telemetry;

namespace Messaging.Hosting;

/// <summary>The worker of a host; a singleton of the container. The host starts and stops it. Threads: any.</summary>
public interface IMessageWorker
{
    /// <summary>
    /// False to check and open everything when the host starts, but to receive only after <see cref="StartReceiving"/>. Set it before the
    /// host starts; true by default.
    /// </summary>
    bool ReceiveOnStart { get; set; }

    /// <summary>False after a drain that cancelled messages; they are returned to their sources.</summary>
    bool DrainedCleanly { get; }

    /// <summary>A route's message counts since the start, as in <see cref="RouteStatus.Totals"/>; allocates nothing.</summary>
    /// <exception cref="ArgumentException">The worker has no route of this name, or has not started.</exception>
    RouteTotals GetTotals(string route);

    /// <summary>Starts receiving on every route; does nothing once the worker is stopping. Call it once, after the host has started.</summary>
    void StartReceiving();
}
