using System.Net;
using System.Net.Sockets;

namespace Integration.Tests.Servers;

/// <summary>
/// Ports for programs that have to be told theirs. They lie below those that the kernel gives to connections, which would take a free one
/// before its program does, and each test process begins elsewhere.
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
                // The next one.
            }
        }
    }
}
