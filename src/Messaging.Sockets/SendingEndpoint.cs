using System.Net;
using Messaging.Hosting;

namespace Messaging.Sockets;

/// <summary>The endpoint to send to, derived from the one that the worker listens on.</summary>
internal static class SendingEndpoint
{
    /// <summary>The listening endpoint; loopback if the worker listens on every address.</summary>
    /// <exception cref="StartupException">Port 0: the system chose one that only the worker knows.</exception>
    public static IPEndPoint Of(IPEndPoint listening, string key)
    {
        if (listening.Port == 0)
        {
            throw new StartupException($"{key} {listening}: the worker listens on a port that the system chose. Find it in the worker's log, and give it with --{key}=address:port.", ExitCodes.Usage);
        }

        return listening.Address.Equals(IPAddress.Any) ? new IPEndPoint(IPAddress.Loopback, listening.Port)
            : listening.Address.Equals(IPAddress.IPv6Any) ? new IPEndPoint(IPAddress.IPv6Loopback, listening.Port)
            : listening;
    }
}
