using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Messaging.Tests.Aws.S3.Direct;

/// <summary>A server below HTTP: reads one request after another and writes a test's bytes, valid or not.</summary>
internal sealed class RawServer : IAsyncDisposable
{
    /// <summary>The answer of S3 to a PUT.</summary>
    public const string Stored = "HTTP/1.1 200 OK\r\nETag: \"5d41402abc4b2a76b9719d911017c592\"\r\nContent-Length: 0\r\n\r\n";

    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly CancellationTokenSource _stop = new();
    private readonly Func<RawRequest, RawReply> _answer;
    private readonly List<RawRequest> _requests = [];
    private readonly List<Task> _connections = [];
    private readonly Task _accepting;

    /// <param name="answer">Called for each request that has arrived whole.</param>
    public RawServer(Func<RawRequest, RawReply> answer)
    {
        _answer = answer;
        _listener.Start();
        _accepting = AcceptAsync();
    }

    public Uri Url => new($"http://127.0.0.1:{((IPEndPoint)_listener.LocalEndpoint).Port}");

    public RawRequest[] Requests
    {
        get
        {
            lock (_requests)
            {
                return [.. _requests];
            }
        }
    }

    /// <summary>Waits for that many requests.</summary>
    public async Task WaitForAsync(int requests)
    {
        while (Requests.Length < requests)
        {
            await Task.Delay(5, TestContext.Current.CancellationToken);
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        _listener.Dispose();
        await _accepting.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await Task.WhenAll(_connections).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _stop.Dispose();
    }

    private async Task AcceptAsync()
    {
        for (int connection = 1; ; connection++)
        {
            Socket socket = await _listener.AcceptSocketAsync(_stop.Token);
            _connections.Add(ServeAsync(socket, connection));
        }
    }

    private async Task ServeAsync(Socket socket, int connection)
    {
        using Socket owned = socket;
        byte[] buffer = new byte[1 << 20];
        int filled = 0;
        try
        {
            while (true)
            {
                int read = await socket.ReceiveAsync(buffer.AsMemory(filled), _stop.Token);
                if (read == 0)
                {
                    return;
                }

                filled += read;
                while (RawRequest.TryRead(buffer.AsSpan(0, filled), connection, out RawRequest? request, out int length))
                {
                    buffer.AsSpan(length, filled - length).CopyTo(buffer);
                    filled -= length;
                    lock (_requests)
                    {
                        _requests.Add(request);
                    }

                    RawReply reply = _answer(request);
                    await SendAsync(socket, reply);
                    if (reply.Close)
                    {
                        return;
                    }
                }
            }
        }
        catch (SocketException)
        {
            // The client disconnected.
        }
    }

    private async Task SendAsync(Socket socket, RawReply reply)
    {
        await socket.SendAsync(Encoding.Latin1.GetBytes(reply.Bytes), _stop.Token);
        while (reply.Endless is { } more)
        {
            await socket.SendAsync(Encoding.Latin1.GetBytes(more), _stop.Token);
        }
    }
}
