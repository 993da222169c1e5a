using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Messaging.Tests.Http.Source;

/// <summary>A connection that sends a test's bytes, one by one where needed.</summary>
internal sealed class RawConnection(Socket socket) : IAsyncDisposable
{
    private readonly byte[] _received = new byte[1 << 20];
    private int _length;

    /// <summary>Opens a connection and sends the text, with LF written as CRLF.</summary>
    public static async Task<RawConnection> ConnectAsync(int port, string text)
    {
        Socket socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        await socket.ConnectAsync(IPAddress.Loopback, port);
        RawConnection connection = new(socket);
        await connection.SendAsync(text);
        return connection;
    }

    /// <summary>Sends text, with LF written as CRLF.</summary>
    public Task SendAsync(string text) => SendAsync(Encoding.Latin1.GetBytes(text.ReplaceLineEndings("\r\n")));

    public async Task SendAsync(ReadOnlyMemory<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            bytes = bytes[await socket.SendAsync(bytes, SocketFlags.None)..];
        }
    }

    /// <summary>Sends bytes as one chunk of a chunked body.</summary>
    public async Task SendChunkAsync(ReadOnlyMemory<byte> bytes)
    {
        await SendAsync($"{bytes.Length:x}\n");
        await SendAsync(bytes);
        await SendAsync("\n");
    }

    public Task SendLastChunkAsync() => SendAsync("0\n\n");

    /// <summary>Reads one answer with a Content-Length.</summary>
    public async Task<RawAnswer> ReadAsync()
    {
        using CancellationTokenSource limit = new(TimeSpan.FromSeconds(60));
        while (true)
        {
            string text = Encoding.UTF8.GetString(_received, 0, _length);
            int headersEnd = text.IndexOf("\r\n\r\n", StringComparison.Ordinal);
            if (headersEnd >= 0)
            {
                string headers = text[..headersEnd];
                int status = int.Parse(headers.AsSpan(9, 3));
                string? lengthLine = headers.Split("\r\n").FirstOrDefault(line => line.StartsWith("Content-Length:", StringComparison.OrdinalIgnoreCase));
                int length = lengthLine is null ? 0 : int.Parse(lengthLine.AsSpan("Content-Length:".Length));
                int total = headersEnd + 4 + length;
                if (_length >= total)
                {
                    string body = Encoding.UTF8.GetString(_received, headersEnd + 4, length);
                    _received.AsSpan(total, _length - total).CopyTo(_received);
                    _length -= total;
                    return new RawAnswer(status, headers, body);
                }
            }

            int read = await socket.ReceiveAsync(_received.AsMemory(_length), SocketFlags.None, limit.Token);
            read.ShouldBeGreaterThan(0, $"The connection ended after: {text}");
            _length += read;
        }
    }

    /// <summary>Reads until the text has arrived.</summary>
    /// <returns>All received text.</returns>
    public async Task<string> ReadToAsync(string text)
    {
        using CancellationTokenSource limit = new(TimeSpan.FromSeconds(60));
        while (true)
        {
            string all = Encoding.UTF8.GetString(_received, 0, _length);
            if (all.Contains(text, StringComparison.Ordinal))
            {
                return all;
            }

            int read = await socket.ReceiveAsync(_received.AsMemory(_length), SocketFlags.None, limit.Token);
            read.ShouldBeGreaterThan(0, $"The connection ended after: {all}");
            _length += read;
        }
    }

    /// <summary>Reads everything until the server closes the connection.</summary>
    public async Task<string> ReadToEndAsync()
    {
        using CancellationTokenSource limit = new(TimeSpan.FromSeconds(60));
        try
        {
            int read;
            while ((read = await socket.ReceiveAsync(_received.AsMemory(_length), SocketFlags.None, limit.Token)) > 0)
            {
                _length += read;
            }
        }
        catch (SocketException)
        {
            // A reset is an end too.
        }

        return Encoding.UTF8.GetString(_received, 0, _length);
    }

    /// <summary>Asserts that the server closes the connection.</summary>
    public async Task ShouldEndAsync()
    {
        using CancellationTokenSource limit = new(TimeSpan.FromSeconds(60));
        try
        {
            int read = await socket.ReceiveAsync(_received.AsMemory(_length), SocketFlags.None, limit.Token);
            read.ShouldBe(0);
        }
        catch (SocketException)
        {
            // A reset is an end too.
        }
    }

    /// <summary>Closes the sending half; reading continues.</summary>
    public void ShutdownSend() => socket.Shutdown(SocketShutdown.Send);

    /// <summary>Resets the connection, as a killed process does.</summary>
    public void Abort()
    {
        socket.LingerState = new LingerOption(enable: true, seconds: 0);
        socket.Dispose();
    }

    public ValueTask DisposeAsync()
    {
        socket.Dispose();
        return default;
    }
}
