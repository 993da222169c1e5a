using System.Net;
using Quayside.Messaging.Objects;

namespace Quayside.Messaging.Aws;

/// <summary>The HTTP connections that AWS calls use.</summary>
internal static class AwsHttpHandler
{
    /// <summary>
    /// Connections to AWS: no redirects (a signed request must not follow one), no cookies, no decompression, no tracing headers (they would be
    /// unsigned and unused). Through the proxy that the environment names (HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, without the hosts of NO_PROXY), as
    /// AWSSDK does for credentials; never to this machine.
    /// </summary>
    /// <param name="maxConnections">Per host: the maximum number of concurrent calls. Unlimited for SQS, where renewals and deletes must not wait behind long
    /// polls.</param>
    /// <param name="custom">The address that is called, where it may be on this machine; null for AWS.</param>
    public static SocketsHttpHandler Create(int maxConnections = int.MaxValue, Uri? custom = null) => new()
    {
        AllowAutoRedirect = false,
        AutomaticDecompression = DecompressionMethods.None,
        UseCookies = false,
        UseProxy = custom is not { IsLoopback: true },
        Proxy = new EnvironmentProxy(),
        ActivityHeadersPropagator = null,
        ConnectTimeout = TimeSpan.FromSeconds(2),
        MaxConnectionsPerServer = maxConnections,

        // AWS changes the addresses of its names (SQS: TTL of 60 s or less), so a busy connection must be replaced regularly.
        PooledConnectionLifetime = TimeSpan.FromMinutes(5),

        // Shorter than the idle timeout of load balancers (60 s or less), so that a reused connection is rarely closed.
        PooledConnectionIdleTimeout = TimeSpan.FromSeconds(30),
    };
}
