using Quayside.Messaging.Configuration;

namespace Quayside.Messaging.Sinks;

/// <summary>Signs requests to a service that is called over HTTP, such as Amazon OpenSearch, with the keys of another package.</summary>
public interface IRequestSigning
{
    /// <summary>The section that has its keys.</summary>
    internal SettingsSection Settings { get; }

    /// <summary>Reads and checks its settings for one route; reports problems to the reader. Accesses nothing but the configuration.</summary>
    /// <param name="settings">The configuration.</param>
    /// <param name="route">The route.</param>
    /// <param name="service">The service's signing name, such as <c>es</c>.</param>
    /// <param name="address">The service's address.</param>
    /// <returns>Creates the signer, at start; it may take seconds, and throws <see cref="StartupException"/> where it misses something.</returns>
    internal Func<TimeProvider, IRequestSigner> Configure(SettingsReader settings, string route, string service, Uri address);
}

/// <summary>Signs requests to one service. Threads: any.</summary>
internal interface IRequestSigner : IDisposable
{
    /// <summary>Adds the headers that sign a request; its content's type is signed too.</summary>
    /// <param name="request">A request with an absolute address, not signed before.</param>
    /// <param name="payloadHash">SHA-256 of the body as it is sent, in lower-case hexadecimal digits.</param>
    /// <param name="cancellationToken">Ends the wait for keys.</param>
    /// <exception cref="StartupException">There are no keys.</exception>
    ValueTask SignAsync(HttpRequestMessage request, string payloadHash, CancellationToken cancellationToken);

    /// <summary>Removes the cause of a refused signature if it was the clock or expired keys.</summary>
    /// <param name="refused">The request that was refused.</param>
    /// <param name="serverTime">The answer's header Date.</param>
    /// <param name="cancellationToken">Ends the wait for keys.</param>
    /// <returns>True when the same request, signed again, may be accepted.</returns>
    /// <exception cref="StartupException">There are no new keys.</exception>
    ValueTask<bool> TryRecoverAsync(HttpRequestMessage refused, DateTimeOffset? serverTime, CancellationToken cancellationToken);
}
