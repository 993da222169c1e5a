using Messaging.DeadLetters;
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

/// <summary>The state of the worker, for health pages and reports; a singleton of the container. Threads: any.</summary>
public interface IWorkerStatus
{
    /// <summary>True after the first stop signal.</summary>
    bool IsStopping { get; }

    /// <summary>The dead letters that wait in the store of sources without a dead-letter queue; null while unknown, and when no route uses the store.</summary>
    WaitingDeadLetters? WaitingDeadLetters => null;

    /// <summary>The current state of each route, in the order of the configuration; empty before the worker has started.</summary>
    IReadOnlyList<RouteStatus> GetRoutes();
}
