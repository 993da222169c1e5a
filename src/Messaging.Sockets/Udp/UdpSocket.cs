using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using Quayside.Messaging.Configuration;

namespace Quayside.Messaging.Sockets.Udp;

/// <summary>A bound socket with its receive buffer. Threads: any.</summary>
internal sealed class UdpSocket : IDisposable
{
    // <asm-generic/socket.h> and <linux/sock_diag.h>: an array of 32-bit numbers, since Linux 4.12.
    private const int SolSocket = 1;
    private const int SoMemInfo = 55;
    private const int MemInfoReceived = 0;
    private const int MemInfoDrops = 8;

    private UdpSocket(Socket socket) => Socket = socket;

    public Socket Socket { get; }

    public EndPoint Endpoint => Socket.LocalEndPoint!;

    /// <summary>Bytes that the kernel buffers, as reported by it.</summary>
    public int ReceiveBuffer => Socket.ReceiveBufferSize;

    /// <summary>The kernel's figures for the socket; null where it has none, and after the socket is closed.</summary>
    public KernelState? KernelState
    {
        get
        {
            if (!OperatingSystem.IsLinux())
            {
                return null;
            }

            Span<uint> numbers = stackalloc uint[MemInfoDrops + 1];
            try
            {
                int bytes = Socket.GetRawSocketOption(SolSocket, SoMemInfo, MemoryMarshal.AsBytes(numbers));
                return bytes == numbers.Length * sizeof(uint) ? new KernelState(numbers[MemInfoReceived], numbers[MemInfoDrops]) : null;
            }
            catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
            {
                return null;
            }
        }
    }

    /// <exception cref="StartupException">The address is in use, not this machine's, or not allowed.</exception>
    public static UdpSocket Bind(UdpSourceOptions options)
    {
        options.TryParseEndpoint(out IPEndPoint? endpoint);
        Socket socket = BoundSocket.Create(SocketType.Dgram, $"{UdpSourceOptions.Section}:{nameof(UdpSourceOptions.Endpoint)}", options.Endpoint, endpoint!);
        socket.ReceiveBufferSize = options.ReceiveBuffer;
        return new UdpSocket(socket);
    }

    public IDatagramReceiver CreateReceiver(UdpSourceOptions options, bool isPortable)
    {
        int bytes = options.MaxMessageBytes + (options.Checksum == UdpChecksum.Verify ? Fletcher32.TrailerLength : 0);
        return OperatingSystem.IsLinux() && !isPortable ? new BatchReceiver(Socket, bytes) : new PortableReceiver(Socket, bytes);
    }

    public void Dispose() => Socket.Dispose();
}

/// <summary>The kernel's figures for a socket.</summary>
/// <param name="Bytes">Memory of the waiting datagrams, including the kernel's own structures.</param>
/// <param name="Drops">Datagrams dropped since the socket was opened; wraps at 2^32.</param>
internal readonly record struct KernelState(long Bytes, long Drops);
