namespace Messaging.Hosting;

/// <summary>What the worker does now, for health pages and reports; a singleton of the container. Threads: any.</summary>
public interface IWorkerStatus
{
    /// <summary>True from the first stop signal on.</summary>
    bool IsStopping { get; }

    /// <summary>The routes as they are at this moment, in the order of the configuration; empty before the worker has started.</summary>
    IReadOnlyList<RouteStatus> GetRoutes();
}
