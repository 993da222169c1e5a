using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;

namespace Integration.Tests.Faults;

/// <summary>
/// A TCP proxy on loopback between a client and a server, whose faults can change while connections are open. It does
/// not support TLS: the client sends plain text to the proxy's address.
/// </summary>
internal sealed class TcpFaultProxy : IAsyncDisposable
{
    private readonly IPEndPoint _server;

    // Bound for the proxy's whole life and never listening: while the proxy refuses, no other process can take the port.
    private readonly Socket _reservation;
    private readonly ConcurrentDictionary<ProxiedConnection, bool> _connections = new();
    private readonly CancellationTokenSource _stopping = new();
    private readonly Lock _gate = new();

    // Written under _gate, read by every connection.
    private volatile FaultState _state = new(new TcpFault.None(), int.MaxValue);
    private Socket? _listener;
    private bool _disposed;
    private Task _accepting = Task.CompletedTask;
    private int _accepted;

    public TcpFaultProxy(Uri server) : this(new IPEndPoint(IPAddress.Loopback, server.Port))
    {
        if (!server.IsLoopback)
        {
            throw new ArgumentException("Faults are for servers of this machine.", nameof(server));
        }
    }

    public TcpFaultProxy(IPEndPoint server)
    {
        _server = server;
        _reservation = Bind(0);
        Address = (IPEndPoint)_reservation.LocalEndPoint!;
        Listen();
    }

    /// <summary>The address for clients.</summary>
    public IPEndPoint Address { get; }

    /// <summary>The proxy's address as the service URL of an HTTP client.</summary>
    public Uri Url => new($"http://{Address}");

    public TcpFault Fault => _state.Fault;

    /// <summary>Connections accepted since the start, without refused ones.</summary>
    public int Accepted => Volatile.Read(ref _accepted);

    internal FaultState State => _state;

    /// <summary>Changes the fault, for open connections too.</summary>
    /// <param name="times">For <see cref="TcpFault.ResetAfter"/>: how many connections they end before all bytes pass again.</param>
    public void Set(TcpFault fault, int times = int.MaxValue)
    {
        FaultState previous;
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            previous = _state;
            _state = new FaultState(fault, times);
            if (fault is TcpFault.Refuse)
            {
                StopListening();
            }
            else
            {
                Listen();
            }
        }

        // Outside the lock, because both run continuations of the connections.
        previous.Replace();
        if (fault is TcpFault.Refuse)
        {
            ResetAll();
        }
    }

    public void Clear() => Set(new TcpFault.None());

    /// <summary>Ends every open connection, now, with a reset; the fault stays as it is.</summary>
    public void ResetAll()
    {
        foreach (ProxiedConnection connection in _connections.Keys)
        {
            connection.Reset();
        }
    }

    public async ValueTask DisposeAsync()
    {
        Task accepting;
        lock (_gate)
        {
            if (_disposed)
            {
                return;
            }

            _disposed = true;
            StopListening();
            accepting = _accepting;
        }

        await _stopping.CancelAsync();
        await accepting;
        await Task.WhenAll(_connections.Keys.Select(connection => connection.Completion));
        _reservation.Dispose();
        _stopping.Dispose();
    }

    internal void Remove(ProxiedConnection connection) => _connections.TryRemove(connection, out _);

    /// <returns>Whether the fault of <paramref name="state"/> may end a connection once more.</returns>
    internal bool TryStrike(FaultState state)
    {
        if (!state.TryStrike(out bool isLast))
        {
            return false;
        }

        if (isLast)
        {
            ClearIfStill(state);
        }

        return true;
    }

    private void ClearIfStill(FaultState state)
    {
        lock (_gate)
        {
            if (_state == state)
            {
                _state = new FaultState(new TcpFault.None(), int.MaxValue);
            }
        }
    }

    private static Socket Bind(int port)
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        socket.SetSocketOption(SocketOptionLevel.Socket, SocketOptionName.ReuseAddress, true);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, port));
        return socket;
    }

    private void Listen()
    {
        if (_listener is not null)
        {
            return;
        }

        _listener = Bind(Address.Port);
        _listener.Listen(512);
        _accepting = AcceptAsync(_listener);
    }

    private void StopListening()
    {
        _listener?.Dispose();
        _listener = null;
    }

    private async Task AcceptAsync(Socket listener)
    {
        while (true)
        {
            Socket client;
            try
            {
                client = await listener.AcceptAsync(_stopping.Token);
            }
            catch (Exception exception) when (exception is SocketException or ObjectDisposedException or OperationCanceledException)
            {
                return;
            }

            Interlocked.Increment(ref _accepted);
            var connection = new ProxiedConnection(this, client, _server);
            _connections[connection] = true;
            connection.Start(_stopping.Token);
        }
    }
}
