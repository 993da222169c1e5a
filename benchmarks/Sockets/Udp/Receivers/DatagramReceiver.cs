using System.ComponentModel;
using System.Net;
using System.Net.Sockets;
using Benchmarks.Sockets.Receiving;

namespace Benchmarks.Sockets.Udp.Receivers;

/// <summary>The socket of all receivers here, their count, and the end of their endless loop.</summary>
internal abstract class DatagramReceiver : IReceiver
{
    private const int ReceiveBuffer = 4 << 20;

    private long _received;
    private bool _disposed;

    protected DatagramReceiver() => Socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));

    public int Port => ((IPEndPoint)Socket.LocalEndPoint!).Port;

    public long Received => Volatile.Read(ref _received);

    protected Socket Socket { get; } = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp) { ReceiveBufferSize = ReceiveBuffer };

    public abstract void Start();

    public void Dispose()
    {
        Volatile.Write(ref _disposed, true);
        Socket.Dispose();
    }

    /// <summary>True for what a receive throws because the receiver was disposed: the end of its loop.</summary>
    protected bool IsEnd(Exception exception) => Volatile.Read(ref _disposed) && exception is SocketException or ObjectDisposedException or Win32Exception;

    /// <summary>Counts; one thread only.</summary>
    protected void Count(int datagrams) => Volatile.Write(ref _received, _received + datagrams);
}
