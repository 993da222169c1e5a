using System.Runtime.InteropServices;

namespace Benchmarks.Sockets.Udp;

/// <summary>Pinned buffers and headers for a batch of datagrams.</summary>
internal sealed class DatagramBatch
{
    private readonly byte[] _bytes;
    private readonly BatchCalls.Buffer[] _buffers;
    private readonly BatchCalls.Header[] _headers;

    public DatagramBatch(int count, int bytes)
    {
        Count = count;
        Stride = bytes;
        _bytes = GC.AllocateArray<byte>(count * bytes, pinned: true);
        _buffers = GC.AllocateArray<BatchCalls.Buffer>(count, pinned: true);
        _headers = GC.AllocateArray<BatchCalls.Header>(count, pinned: true);
        for (int i = 0; i < count; i++)
        {
            _buffers[i].Address = Marshal.UnsafeAddrOfPinnedArrayElement(_bytes, i * bytes);
            _buffers[i].Length = (nuint)bytes;
            _headers[i].Message.Buffers = Marshal.UnsafeAddrOfPinnedArrayElement(_buffers, i);
            _headers[i].Message.BufferCount = 1;
        }
    }

    public int Count { get; }

    public int Stride { get; }

    public nint Headers => Marshal.UnsafeAddrOfPinnedArrayElement(_headers, 0);

    public Span<byte> this[int index] => _bytes.AsSpan(index * Stride, Stride);
}
