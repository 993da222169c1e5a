using System.Net;

namespace Messaging.Aws;

/// <summary>The HTTP connections that AWS calls use.</summary>
internal static class AwsHttpHandler
{
    /// <summary>
    /// Connections to AWS only go where they are told: no redirects (a signed request must not follow one), no proxy of the
    /// environment, no cookies, no decompression, no tracing headers (they would be sent unsigned to no use).
    /// </summary>
    /// <param name="maxConnections">Per host; the most calls that can be under way at once.</param>
    public static SocketsHttpHandler Create(int maxConnections) => new()
    {
        AllowAutoRedirect = false,
        AutomaticDecompression = DecompressionMethods.None,
        UseCookies = false,
        UseProxy = false,
        ActivityHeadersPropagator = null,
        ConnectTimeout = TimeSpan.FromSeconds(2),
        MaxConnectionsPerServer = maxConnections,

        // AWS moves addresses behind its names (SQS TTL 60 s or less): a connection in constant use must be renewed at times.
        PooledConnectionLifetime = TimeSpan.FromMinutes(5),

        // Below the 60 s and less after which load balancers drop idle connections, so that a reused one is seldom dead.
        PooledConnectionIdleTimeout = TimeSpan.FromSeconds(30),
    };
}
