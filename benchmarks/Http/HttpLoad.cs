using System.Buffers.Text;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Benchmarks.Http;

/// <summary>Connections that are kept open, each of which sends a message, waits for its answer and sends the next.</summary>
internal sealed class HttpLoad : IDisposable
{
    private readonly Socket[] _connections;
    private readonly byte[] _request;

    private HttpLoad(Socket[] connections, byte[] request)
    {
        _connections = connections;
        _request = request;
    }

    public static async Task<HttpLoad> ConnectAsync(int port, int connections, byte[] body)
    {
        string head = string.Create(
            CultureInfo.InvariantCulture,
            $"POST /messages HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\nContent-Length: {body.Length}\r\n\r\n");
        Socket[] sockets = new Socket[connections];
        for (int i = 0; i < connections; i++)
        {
            sockets[i] = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
            await sockets[i].ConnectAsync(new IPEndPoint(IPAddress.Loopback, port));
        }

        return new HttpLoad(sockets, [.. Encoding.ASCII.GetBytes(head), .. body]);
    }

    /// <exception cref="InvalidOperationException">An answer was not 200.</exception>
    public Task SendAsync(int messages) => Task.WhenAll(_connections.Select((connection, i) =>
        Task.Run(() => SendAsync(connection, (messages / _connections.Length) + (i < messages % _connections.Length ? 1 : 0)))));

    public void Dispose()
    {
        foreach (Socket connection in _connections)
        {
            connection.Dispose();
        }
    }

    private async Task SendAsync(Socket connection, int messages)
    {
        byte[] answer = new byte[4_096];
        for (int i = 0; i < messages; i++)
        {
            for (ReadOnlyMemory<byte> left = _request; !left.IsEmpty;)
            {
                left = left[await connection.SendAsync(left, SocketFlags.None)..];
            }

            int filled = 0;
            int total = int.MaxValue;
            while (filled < total)
            {
                int read = await connection.ReceiveAsync(answer.AsMemory(filled), SocketFlags.None);
                filled += read > 0 ? read : throw new InvalidOperationException("The server closed a connection.");
                total = LengthOf(answer.AsSpan(0, filled));
            }
        }
    }

    // Both servers announce the length of their answers.
    private static int LengthOf(ReadOnlySpan<byte> answer)
    {
        int end = answer.IndexOf("\r\n\r\n"u8);
        if (end < 0)
        {
            return int.MaxValue;
        }

        ReadOnlySpan<byte> name = "Content-Length: "u8;
        int at = answer.IndexOf(name);
        if (!answer.StartsWith("HTTP/1.1 200"u8) || at < 0 || !Utf8Parser.TryParse(answer[(at + name.Length)..], out int length, out _))
        {
            throw new InvalidOperationException($"Not the answer expected: {Encoding.ASCII.GetString(answer)}");
        }

        return end + 4 + length;
    }
}
