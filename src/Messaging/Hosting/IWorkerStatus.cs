namespace Messaging.Hosting;

/// <summary>The state of the worker, for health pages and reports; a singleton of the container. Threads: any.</summary>
public interface IWorkerStatus
{
    /// <summary>True after the first stop signal.</summary>
    bool IsStopping { get; }

    /// <summary>The current state of each route, in the order of the configuration; empty before the worker has started.</summary>
    IReadOnlyList<RouteStatus> GetRoutes();
}
