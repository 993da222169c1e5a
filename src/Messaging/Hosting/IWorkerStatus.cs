using Messaging.DeadLetters;

namespace Messaging.Hosting;

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
