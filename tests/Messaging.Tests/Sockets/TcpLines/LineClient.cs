using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Text;

namespace Messaging.Tests.Sockets.TcpLines;

/// <summary>A sender that sends a test's bytes, one by one where needed.</summary>
internal sealed class LineClient : IAsyncDisposable
{
    private static readonly TimeSpan WaitLimit = TimeSpan.FromSeconds(30);

    private readonly Socket _socket;
    private readonly Stream _stream;
    private readonly StreamReader _reader;

    private LineClient(Socket socket, Stream stream)
    {
        _socket = socket;
        _stream = stream;
        _reader = new StreamReader(stream, Encoding.ASCII);
    }

    /// <param name="endpoint">The worker's endpoint.</param>
    /// <param name="tls">Whether it speaks TLS.</param>
    /// <param name="beforeTls">What it waits for before the handshake.</param>
    /// <param name="receiveBuffer">Bytes that its kernel keeps of answers that it does not read; null for the kernel's default, which grows to
    /// megabytes.</param>
    public static async Task<LineClient> ConnectAsync(IPEndPoint endpoint, bool tls = false, Func<Task>? beforeTls = null, int? receiveBuffer = null)
    {
        Socket socket = new(endpoint.AddressFamily, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        if (receiveBuffer is { } bytes)
        {
            socket.ReceiveBufferSize = bytes;
        }

        await socket.ConnectAsync(endpoint);
        Stream stream = new NetworkStream(socket);
        if (tls)
        {
            await (beforeTls?.Invoke() ?? Task.CompletedTask);

            // The test's own certificate.
            SslStream secure = new(stream, leaveInnerStreamOpen: false, (_, _, _, _) => true);
            await secure.AuthenticateAsClientAsync("localhost");
            stream = secure;
        }

        return new LineClient(socket, stream);
    }

    public Task SendAsync(string text) => SendAsync(Encoding.UTF8.GetBytes(text));

    public async Task SendAsync(ReadOnlyMemory<byte> bytes)
    {
        await _stream.WriteAsync(bytes);
        await _stream.FlushAsync();
    }

    /// <summary>Sends unless the worker has closed the connection.</summary>
    public async Task TrySendAsync(string text)
    {
        try
        {
            await SendAsync(text);
        }
        catch (IOException)
        {
            // Closed.
        }
    }

    /// <summary>The next answer; null when the worker closed the connection.</summary>
    public async Task<string?> ReadAsync()
    {
        try
        {
            return await _reader.ReadLineAsync().WaitAsync(WaitLimit);
        }
        catch (IOException)
        {
            // A reset is an end too.
            return null;
        }
    }

    /// <summary>Asserts that the worker closes the connection without an answer.</summary>
    public async Task ShouldEndAsync() => (await ReadAsync()).ShouldBeNull();

    /// <summary>Closes the sending half; reading continues.</summary>
    public void EndSending() => _socket.Shutdown(SocketShutdown.Send);

    /// <summary>Closes the sending half, and waits until the receiver's kernel has everything that was sent: under load that is later than the call.</summary>
    public async Task EndSendingAsync()
    {
        // tcp(7): TCP_INFO begins with the state, which is FIN_WAIT1 until the end of the stream is acknowledged.
        const int Tcp = 6, TcpInfo = 11, FinWait1 = 4;
        EndSending();
        byte[] state = new byte[1];
        using CancellationTokenSource limit = new(TimeSpan.FromSeconds(60));
        while (OperatingSystem.IsLinux() && _socket.GetRawSocketOption(Tcp, TcpInfo, state) > 0 && state[0] == FinWait1)
        {
            await Task.Delay(1, limit.Token);
        }
    }

    /// <summary>Resets the connection, as a killed process does.</summary>
    public void Reset()
    {
        _socket.LingerState = new LingerOption(enable: true, seconds: 0);
        _socket.Dispose();
    }

    public async ValueTask DisposeAsync()
    {
        _reader.Dispose();
        await _stream.DisposeAsync();
        _socket.Dispose();
    }
}
