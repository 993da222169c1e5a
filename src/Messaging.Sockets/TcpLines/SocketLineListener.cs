using System.Net;
using System.Net.Sockets;

namespace Quayside.Messaging.Sockets.TcpLines;

/// <summary>Accepts TCP connections.</summary>
internal sealed class SocketLineListener(Socket listener) : ILineListener
{
    public EndPoint Endpoint { get; } = listener.LocalEndPoint!;

    public static SocketLineListener Open(TcpLinesSourceOptions options)
    {
        options.TryParseEndpoint(out IPEndPoint? endpoint);
        return new SocketLineListener(
            BoundSocket.Create(SocketType.Stream, $"{TcpLinesSourceOptions.Section}:{nameof(TcpLinesSourceOptions.Endpoint)}", options.Endpoint, endpoint!));
    }

    public async ValueTask<ILineTransport> AcceptAsync(CancellationToken cancellationToken)
    {
        while (true)
        {
            Socket socket = await listener.AcceptAsync(cancellationToken);
            try
            {
                return new Transport(socket);
            }
            catch (SocketException)
            {
                // The sender has already reset the connection.
                socket.Dispose();
            }
        }
    }

    public void Dispose() => listener.Dispose();

    private sealed class Transport : ILineTransport
    {
        private readonly Socket _socket;

        public Transport(Socket socket)
        {
            _socket = socket;
            Peer = (IPEndPoint)socket.RemoteEndPoint!;

            // Answers are small, and the sender waits for them.
            socket.NoDelay = true;
            Stream = new NetworkStream(socket, ownsSocket: false);
        }

        public IPEndPoint Peer { get; }

        public Stream Stream { get; }

        public void TrySend(ReadOnlySpan<byte> bytes)
        {
            _socket.Blocking = false;
            _socket.Send(bytes, SocketFlags.None, out _);
        }

        public void EndSending() => _socket.Shutdown(SocketShutdown.Send);

        public void Dispose()
        {
            Stream.Dispose();
            _socket.Dispose();
        }
    }
}
