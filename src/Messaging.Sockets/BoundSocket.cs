using System.Net;
using System.Net.Sockets;
using Quayside.Messaging.Configuration;

namespace Quayside.Messaging.Sockets;

/// <summary>Binds a socket to the endpoint of a setting.</summary>
internal static class BoundSocket
{
    private const int Backlog = 512;

    /// <summary>A socket that receives datagrams, or listens for connections.</summary>
    /// <param name="type">Stream or datagrams.</param>
    /// <param name="key">The setting, for error messages.</param>
    /// <param name="text">The setting's value.</param>
    /// <param name="endpoint">The parsed value.</param>
    /// <exception cref="StartupException">The address is in use, not this machine's, or not allowed.</exception>
    public static Socket Create(SocketType type, string key, string text, IPEndPoint endpoint)
    {
        Socket? socket = null;
        try
        {
            // Fails where the machine has no IPv6.
            socket = new Socket(endpoint.AddressFamily, type, type == SocketType.Dgram ? ProtocolType.Udp : ProtocolType.Tcp);
            if (endpoint.Address.Equals(IPAddress.IPv6Any))
            {
                // Every address of this machine, including those of IPv4.
                socket.DualMode = true;
            }

            socket.Bind(endpoint);
            if (type == SocketType.Stream)
            {
                socket.Listen(Backlog);
            }

            return socket;
        }
        catch (SocketException exception)
        {
            socket?.Dispose();
            throw new StartupException(
                $"{key} {text}: {exception.Message}. Give an address of this machine and a free port.", ExitCodes.Unavailable, exception);
        }
    }
}
