using System.Net;
using System.Net.Sockets;
using Benchmarks.Receiving;

namespace Benchmarks.Udp.Receivers;

/// <summary>A socket and a thread that receives from it, for receivers that block.</summary>
internal abstract class ReceiverThread : IReceiver
{
    private const int ReceiveBuffer = 4 << 20;

    private long _received;

    protected ReceiverThread()
    {
        Socket = Open();
    }

    public int Port => ((IPEndPoint)Socket.LocalEndPoint!).Port;

    public long Received => Volatile.Read(ref _received);

    protected Socket Socket { get; }

    /// <summary>A socket as all receivers here have it.</summary>
    public static Socket Open()
    {
        Socket socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp) { ReceiveBufferSize = ReceiveBuffer };
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return socket;
    }

    public void Start() => new Thread(ReceiveForEver) { IsBackground = true }.Start();

    public void Dispose() => Socket.Dispose();

    /// <summary>Receives until the process ends.</summary>
    protected abstract void ReceiveForEver();

    /// <summary>Counts; one thread only.</summary>
    protected void Count(int datagrams) => Volatile.Write(ref _received, _received + datagrams);
}
