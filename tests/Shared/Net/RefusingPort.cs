using System.Net;
using System.Net.Sockets;

namespace Shared.Net;

/// <summary>A TCP port of loopback that refuses connections. It is bound until disposed, so that no other process gets the port meanwhile.</summary>
internal sealed class RefusingPort : IDisposable
{
    private readonly Socket _socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);

    /// <param name="endpoint">The address to take; null for a free port.</param>
    /// <exception cref="SocketException">A socket is bound there.</exception>
    public RefusingPort(IPEndPoint? endpoint = null) => _socket.Bind(endpoint ?? new IPEndPoint(IPAddress.Loopback, 0));

    public IPEndPoint Endpoint => (IPEndPoint)_socket.LocalEndPoint!;

    public Uri Address => new($"http://{Endpoint}/");

    public void Dispose() => _socket.Dispose();
}
