using System.Net;

namespace Messaging.Aws;

/// <summary>The HTTP connections that AWS calls use.</summary>
internal static class AwsHttpHandler
{
    /// <summary>
    /// Connections to AWS go only to the configured address: no redirects (a signed request must not follow one), no proxy from the
    /// environment, no cookies, no decompression, no tracing headers (they would be unsigned and unused).
    /// </summary>
    /// <param name="maxConnections">Per host: the maximum number of concurrent calls. Unlimited for SQS, where renewals and deletes must not wait behind long polls.</param>
    public static SocketsHttpHandler Create(int maxConnections = int.MaxValue) => new()
    {
        AllowAutoRedirect = false,
        AutomaticDecompression = DecompressionMethods.None,
        UseCookies = false,
        UseProxy = false,
        ActivityHeadersPropagator = null,
        ConnectTimeout = TimeSpan.FromSeconds(2),
        MaxConnectionsPerServer = maxConnections,

        // AWS changes the addresses of its names (SQS: TTL of 60 s or less), so a busy connection must be replaced regularly.
        PooledConnectionLifetime = TimeSpan.FromMinutes(5),

        // Shorter than the idle timeout of load balancers (60 s or less), so that a reused connection is rarely closed.
        PooledConnectionIdleTimeout = TimeSpan.FromSeconds(30),
    };
}
