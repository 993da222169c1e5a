namespace Quayside.Messaging.Http;

/// <summary>
/// Where the worker's web server listens; a singleton of the container. With port 0 in <c>Hosting:Url</c> the system chooses a port. Threads: any.
/// </summary>
public interface IWebAddresses
{
    /// <summary>The addresses on which it listens, such as <c>http://127.0.0.1:8080</c>; empty before the host has started.</summary>
    IReadOnlyList<string> Urls { get; }
}
