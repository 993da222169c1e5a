using System.ComponentModel;
using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace Quayside.Messaging.Sockets.Udp;

/// <summary>Receives many datagrams per system call with recvmmsg(2), into pinned arrays that are allocated once.</summary>
[SupportedOSPlatform("linux")]
internal sealed class BatchReceiver : IDatagramReceiver
{
    private const int Datagrams = IDatagramReceiver.LargestBatch;

    // sockaddr_in6, the largest address in use here.
    private const int NameBytes = 28;

    // A receiver that is faster than the sender would be woken for nearly every datagram, which costs the sender's core more than the datagram. With the
    // kernel's timer slack the pause is about 100 us: 100 datagrams at 1,000,000 per second, or 80 KB of kernel memory. The smallest default of
    // net.core.rmem_max is 208 KB.
    private const int GatherNanoseconds = 50_000;

    private readonly Socket _socket;
    private readonly AddressFamily _family;
    private readonly int _stride;
    private readonly byte[] _bytes;
    private readonly byte[] _names = GC.AllocateArray<byte>(Datagrams * NameBytes, pinned: true);
    private readonly SocketCalls.Buffer[] _buffers = GC.AllocateArray<SocketCalls.Buffer>(Datagrams, pinned: true);
    private readonly SocketCalls.Header[] _headers = GC.AllocateArray<SocketCalls.Header>(Datagrams, pinned: true);
    private readonly nint _headersAddress;

    private int _received;

    public BatchReceiver(Socket socket, int maxBytes)
    {
        _socket = socket;
        _family = socket.AddressFamily;
        _stride = maxBytes;
        _bytes = GC.AllocateUninitializedArray<byte>(Datagrams * _stride, pinned: true);
        _headersAddress = Marshal.UnsafeAddrOfPinnedArrayElement(_headers, 0);
        for (int i = 0; i < Datagrams; i++)
        {
            _buffers[i].Address = Marshal.UnsafeAddrOfPinnedArrayElement(_bytes, i * _stride);
            _buffers[i].Length = (nuint)_stride;
            _headers[i].Message.Name = Marshal.UnsafeAddrOfPinnedArrayElement(_names, i * NameBytes);
            _headers[i].Message.NameLength = NameBytes;
            _headers[i].Message.Buffers = Marshal.UnsafeAddrOfPinnedArrayElement(_buffers, i);
            _headers[i].Message.BufferCount = 1;
        }
    }

    public int BatchSize => Datagrams;

    public Datagram this[int index]
    {
        get
        {
            ref readonly SocketCalls.Header header = ref _headers[index];
            return new Datagram(_bytes.AsSpan(index * _stride, Math.Min((int)header.Length, _stride)), (int)header.Length);
        }
    }

    public int Receive(int max)
    {
        for (int i = 0; i < _received; i++)
        {
            // The kernel has overwritten the capacity with the length of the sender's address.
            _headers[i].Message.NameLength = NameBytes;
        }

        int received = SocketCalls.ReceiveMany(
            _socket.SafeHandle, _headersAddress, (uint)Math.Min(max, Datagrams), SocketCalls.DoNotWait | SocketCalls.Truncated, timeout: 0);
        _received = received >= 0 ? received : Failed(Marshal.GetLastPInvokeError());
        return _received;
    }

    public void LetGather()
    {
        SocketCalls.Time time = new() { Nanoseconds = GatherNanoseconds };

        // A signal ends it early, which does no harm.
        SocketCalls.Sleep(in time, remaining: 0);
    }

    public EndPoint? SenderOf(int index)
    {
        int length = (int)_headers[index].Message.NameLength;
        SocketAddress address = new(_family, Math.Max(length, 2));
        _names.AsSpan(index * NameBytes, length).CopyTo(address.Buffer.Span);
        return length == 0 ? null : new IPEndPoint(_family == AddressFamily.InterNetworkV6 ? IPAddress.IPv6Any : IPAddress.Any, 0).Create(address);
    }

    private static int Failed(int errno) => errno is SocketCalls.Eagain or SocketCalls.Eintr
        ? 0
        : throw new Win32Exception(errno, $"recvmmsg failed: {new Win32Exception(errno).Message}");
}
