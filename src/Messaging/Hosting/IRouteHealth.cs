namespace Quayside.Messaging.Hosting;

/// <summary>Takes problems that handlers, steps, sources and sinks find themselves; a singleton of the container. Threads: any.</summary>
public interface IRouteHealth
{
    /// <summary>
    /// Reports a problem: the route is not ready, and the readiness page, the worker's page and the log (event 1018) show it, until the same part reports
    /// null. The route still receives.
    /// </summary>
    /// <param name="route">The route, as in <see cref="Handlers.MessageInfo"/>; null for every route of the worker.</param>
    /// <param name="part">What reports it, for people, such as <c>price list</c>. Each part has at most one problem.</param>
    /// <param name="problem">What is wrong and what to do, as a sentence; null when it is over.</param>
    /// <exception cref="ArgumentException">The worker has no such route.</exception>
    void Report(string? route, string part, string? problem);
}
