using System.Net;
using System.Net.Sockets;

namespace Worker.Tests.Aws.S3.Direct;

/// <summary>
/// Answers every PUT of one size with a success, on one blocking thread per connection that allocates nothing per request, so
/// that all bytes that the process allocates are the client's.
/// </summary>
internal sealed class FrugalServer : IDisposable
{
    // Each further header costs the client its name and value as strings: 218 bytes for the x-amz-id-2 that AWS adds.
    private static readonly byte[] Answer =
        [
            .. "HTTP/1.1 200 OK\r\n"u8,
            .. "x-amz-request-id: 0A49CE4060975EAC\r\n"u8,
            .. "Date: Sat, 21 Nov 2026 12:00:00 GMT\r\n"u8,
            .. "ETag: \"1b2cf535f27731c974343645a3985328\"\r\n"u8,
            .. "Content-Length: 0\r\nServer: AmazonS3\r\n\r\n"u8,
        ];

    private readonly Socket _listener = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
    private readonly int _bodyLength;

    public FrugalServer(int bodyLength)
    {
        _bodyLength = bodyLength;
        _listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        _listener.Listen();
        Start(Accept);
    }

    public IPEndPoint Address => (IPEndPoint)_listener.LocalEndPoint!;

    public void Dispose() => _listener.Dispose();

    private static void Start(Action run)
    {
        Thread thread = new(() =>
        {
            try
            {
                run();
            }
            catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
            {
                // One side closed the connection.
            }
        })
        {
            IsBackground = true,
        };
        thread.Start();
    }

    private void Accept()
    {
        while (true)
        {
            Socket socket = _listener.Accept();
            Start(() => Serve(socket));
        }
    }

    private void Serve(Socket socket)
    {
        using Socket owned = socket;
        socket.NoDelay = true;
        byte[] buffer = new byte[64 * 1024];
        int filled = 0;
        while (socket.Receive(buffer.AsSpan(filled)) is > 0 and int read)
        {
            filled += read;
            int end = buffer.AsSpan(0, filled).IndexOf("\r\n\r\n"u8);
            if (end >= 0 && filled >= end + 4 + _bodyLength)
            {
                filled = 0;
                socket.Send(Answer);
            }
        }
    }
}
