using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;

namespace Integration.Tests.Faults;

/// <summary>A server for the proxy's tests: records every line and answers each with the same text.</summary>
internal sealed class LineServer : IAsyncDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly ConcurrentQueue<string> _lines = new();
    private readonly ConcurrentBag<TcpClient> _clients = [];
    private readonly string _answer;
    private readonly Task _accepting;

    public LineServer(string answer)
    {
        _answer = answer;
        _listener.Start();
        _accepting = AcceptAsync();
    }

    public IPEndPoint Address => (IPEndPoint)_listener.LocalEndpoint;

    public IReadOnlyCollection<string> Lines => _lines;

    public async ValueTask DisposeAsync()
    {
        _listener.Dispose();
        foreach (TcpClient client in _clients)
        {
            client.Dispose();
        }

        await _accepting.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    private async Task AcceptAsync()
    {
        while (true)
        {
            TcpClient client = await _listener.AcceptTcpClientAsync();
            _clients.Add(client);
            _ = ServeAsync(client);
        }
    }

    private async Task ServeAsync(TcpClient client)
    {
        using var reader = new StreamReader(client.GetStream());
        await using var writer = new StreamWriter(client.GetStream());
        while (await reader.ReadLineAsync() is { } line)
        {
            _lines.Enqueue(line);
            await writer.WriteAsync(_answer);
            await writer.FlushAsync();
        }
    }
}
