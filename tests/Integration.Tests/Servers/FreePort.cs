using System.Net;
using System.Net.Sockets;

namespace Integration.Tests.Servers;

/// <summary>
/// Ports for programs that need a fixed one. They are below the kernel's ephemeral range, whose connections could take a free port
/// before the program does. Each test process starts at another port.
/// </summary>
internal static class FreePort
{
    private static int _last = 10_000 + (Environment.ProcessId % 200 * 100);

    public static int Next()
    {
        while (true)
        {
            int port = Interlocked.Increment(ref _last);
            using TcpListener listener = new(IPAddress.Loopback, port);
            try
            {
                listener.Start();
                return port;
            }
            catch (SocketException error) when (error.SocketErrorCode == SocketError.AddressAlreadyInUse)
            {
                // Taken: try the next port.
            }
        }
    }
}
