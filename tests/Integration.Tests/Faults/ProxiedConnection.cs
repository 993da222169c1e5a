using System.Net;
using System.Net.Sockets;

namespace Integration.Tests.Faults;

/// <summary>One client's connection through a <see cref="TcpFaultProxy"/>: one loop per direction, which checks the fault before it forwards bytes.</summary>
internal sealed class ProxiedConnection
{
    private const int BufferSize = 16 * 1024;

    private readonly TcpFaultProxy _proxy;
    private readonly Socket _client;
    private readonly Socket _server;
    private readonly IPEndPoint _serverAddress;
    private readonly CancellationTokenSource _ended = new();

    // Written only by the loop of the answers.
    private FaultState? _counted;
    private int _bytesSinceSet;

    public ProxiedConnection(TcpFaultProxy proxy, Socket client, IPEndPoint serverAddress)
    {
        _proxy = proxy;
        _client = client;
        _client.NoDelay = true;
        _serverAddress = serverAddress;
        _server = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
    }

    /// <summary>Ends when both sides are closed; never faults.</summary>
    public Task Completion { get; private set; } = Task.CompletedTask;

    public void Start(CancellationToken stopping) => Completion = RunAsync(stopping);

    /// <summary>Resets both sides; the client sees "connection reset by peer".</summary>
    public void Reset()
    {
        Abort(_client);
        Abort(_server);
        _ended.Cancel();
    }

    private static void Abort(Socket socket)
    {
        try
        {
            // Closing with a linger time of zero sends RST instead of FIN.
            socket.LingerState = new LingerOption(enable: true, seconds: 0);
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            // Closed already.
        }

        socket.Dispose();
    }

    private async Task RunAsync(CancellationToken stopping)
    {
        using CancellationTokenRegistration registration = stopping.Register(Reset);
        try
        {
            if (_proxy.Fault is TcpFault.Refuse)
            {
                // Accepted just before the listener closed.
                Reset();
                return;
            }

            await WhileHangingAsync();
            await _server.ConnectAsync(_serverAddress, _ended.Token);
            Task requests = PumpAsync(_client, _server, ForwardRequestAsync);
            Task answers = PumpAsync(_server, _client, ForwardAnswerAsync);
            await Task.WhenAll(requests, answers);
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException or OperationCanceledException)
        {
            // Both peers see the reset that one of them caused.
            Reset();
        }
        finally
        {
            _client.Dispose();
            _server.Dispose();
            _proxy.Remove(this);
        }
    }

    private async Task PumpAsync(Socket from, Socket to, Func<ReadOnlyMemory<byte>, Task<bool>> forward)
    {
        byte[] buffer = new byte[BufferSize];
        try
        {
            while (await from.ReceiveAsync(buffer, _ended.Token) is > 0 and int count)
            {
                await WhileHangingAsync();
                if (!await forward(buffer.AsMemory(0, count)))
                {
                    Reset();
                    return;
                }
            }

            await WhileHangingAsync();
            to.Shutdown(SocketShutdown.Send);
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException or OperationCanceledException)
        {
            Reset();
        }
    }

    private async Task<bool> ForwardRequestAsync(ReadOnlyMemory<byte> bytes)
    {
        await SendAllAsync(_server, bytes);
        return true;
    }

    /// <returns>False when the connection is to be reset instead.</returns>
    private async Task<bool> ForwardAnswerAsync(ReadOnlyMemory<byte> bytes)
    {
        while (bytes.Length > 0)
        {
            FaultState state = _proxy.State;
            if (state != _counted)
            {
                (_counted, _bytesSinceSet) = (state, 0);
            }

            int pass = bytes.Length;
            bool reset = false;
            switch (state.Fault)
            {
                case TcpFault.Hang:
                    await WhileHangingAsync();
                    continue;
                case TcpFault.ResetAfter(int limit) when _bytesSinceSet + pass >= limit:
                    reset = _proxy.TryStrike(state);
                    pass = reset ? limit - _bytesSinceSet : pass;
                    break;
            }

            await SendAllAsync(_client, bytes[..pass]);
            _bytesSinceSet += pass;
            bytes = bytes[pass..];
            if (reset)
            {
                return false;
            }
        }

        return true;
    }

    private async Task SendAllAsync(Socket to, ReadOnlyMemory<byte> bytes)
    {
        while (bytes.Length > 0)
        {
            bytes = bytes[await to.SendAsync(bytes, _ended.Token)..];
        }
    }

    private async Task WhileHangingAsync()
    {
        while (_proxy.State is { Fault: TcpFault.Hang } state)
        {
            using var wait = CancellationTokenSource.CreateLinkedTokenSource(_ended.Token, state.Replaced);
            await Task.Delay(Timeout.InfiniteTimeSpan, wait.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            _ended.Token.ThrowIfCancellationRequested();
        }
    }
}
