using System.Net;
using System.Net.Sockets;

namespace Quayside.Messaging.Sockets.Udp;

/// <summary>Receives one datagram per call, on every system.</summary>
internal sealed class PortableReceiver : IDatagramReceiver
{
    private readonly Socket _socket;
    private readonly int _maxBytes;
    private readonly SocketAddress _sender;

    // One byte more than the limit, because .NET on Linux truncates longer datagrams without reporting it.
    private readonly byte[] _buffer;
    private int _length;

    public PortableReceiver(Socket socket, int maxBytes)
    {
        _socket = socket;
        _maxBytes = maxBytes;
        _sender = new SocketAddress(socket.AddressFamily);
        _buffer = GC.AllocateUninitializedArray<byte>(maxBytes + 1, pinned: true);

        // A datagram with a wrong UDP checksum makes the socket readable and is then discarded: a read must not wait for the next one.
        socket.Blocking = false;
    }

    public int BatchSize => 1;

    public Datagram this[int index] => new(_buffer.AsSpan(0, Math.Min(_length, _maxBytes)), _length);

    public int Receive(int max)
    {
        try
        {
            // Polled first, because a read that would wait throws.
            if (!_socket.Poll(TimeSpan.Zero, SelectMode.SelectRead))
            {
                return 0;
            }

            _length = _socket.ReceiveFrom(_buffer, SocketFlags.None, _sender);
            return 1;
        }
        catch (SocketException exception) when (exception.SocketErrorCode == SocketError.WouldBlock)
        {
            return 0;
        }
        catch (SocketException exception) when (exception.SocketErrorCode == SocketError.MessageSize)
        {
            // Windows reports truncation this way.
            _length = _maxBytes + 1;
            return 1;
        }
    }

    // One datagram per call is slow enough for others to gather meanwhile.
    public void LetGather()
    {
    }

    public EndPoint? SenderOf(int index) => new IPEndPoint(IPAddress.Any, 0).Create(_sender);
}
