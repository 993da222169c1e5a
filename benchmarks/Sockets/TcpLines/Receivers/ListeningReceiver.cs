using System.Net;
using System.Net.Sockets;
using Benchmarks.Sockets.Receiving;

namespace Benchmarks.Sockets.TcpLines.Receivers;

/// <summary>Accepts the one connection and reads it.</summary>
internal abstract class ListeningReceiver : IReceiver
{
    private readonly Socket _listener = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
    private Socket? _connection;
    private long _received;

    protected ListeningReceiver()
    {
        _listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        _listener.Listen();
    }

    public int Port => ((IPEndPoint)_listener.LocalEndPoint!).Port;

    public long Received => Volatile.Read(ref _received);

    public void Start() => _ = Task.Run(ReceiveAsync);

    public void Dispose()
    {
        _listener.Dispose();
        _connection?.Dispose();
    }

    /// <summary>Reads until the connection ends.</summary>
    protected abstract Task ReadAsync(Socket socket);

    /// <summary>Counts; one thread at a time.</summary>
    protected void Count(int lines) => Volatile.Write(ref _received, _received + lines);

    private async Task ReceiveAsync()
    {
        try
        {
            _connection = await _listener.AcceptAsync();
            await ReadAsync(_connection);
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException or IOException)
        {
            // Reset by the sender, or disposed: what was received until then is counted.
        }
    }
}
