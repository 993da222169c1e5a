using System.Threading.Channels;

namespace Messaging.Tests.Sockets.TcpLines;

/// <summary>A connection as the worker sees it: the sender's bytes arrive immediately, and each write waits until the test ends it.</summary>
/// <param name="sent">What the sender sends.</param>
/// <param name="ends">True when the sender then ends its half.</param>
/// <param name="packets">Bytes of the first reads, one after another; the rest arrives together.</param>
internal sealed class SenderStream(byte[] sent, bool ends, params int[] packets) : Stream
{
    private readonly Channel<int> _writes = Channel.CreateUnbounded<int>();
    private readonly SemaphoreSlim _ended = new(0);
    private int _position;
    private int _reads;

    private readonly TaskCompletionSource _allRead = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>True when the connection then breaks.</summary>
    public bool Breaks { get; init; }

    /// <summary>Completes when the worker has handled every byte and reads again.</summary>
    public Task AllRead => _allRead.Task;

    /// <summary>True once the worker has written.</summary>
    public bool WasWritten { get; private set; }

    public override bool CanRead => true;

    public override bool CanSeek => false;

    public override bool CanWrite => true;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    /// <summary>Waits until the worker writes, and returns the number of bytes.</summary>
    public Task<int> NextWriteAsync() => _writes.Reader.ReadAsync().AsTask().WaitAsync(TimeSpan.FromSeconds(60));

    /// <summary>Ends a write: the sender has read it.</summary>
    public void EndWrite() => _ended.Release();

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        if (packets.Length > 0)
        {
            // Otherwise the worker has all packets before it looks at the first.
            await Task.Yield();
        }

        int length = Math.Min(Math.Min(buffer.Length, sent.Length - _position), _reads < packets.Length ? packets[_reads++] : int.MaxValue);
        if (length == 0)
        {
            _allRead.TrySetResult();
        }

        if (length == 0 && Breaks)
        {
            throw new IOException("Connection reset by peer");
        }

        if (length == 0 && !ends)
        {
            await Task.Delay(Timeout.InfiniteTimeSpan, cancellationToken);
        }

        sent.AsMemory(_position, length).CopyTo(buffer);
        _position += length;
        return length;
    }

    public override async ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        WasWritten = true;
        _writes.Writer.TryWrite(buffer.Length);
        await _ended.WaitAsync(cancellationToken);
    }

    public override void Flush()
    {
    }

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();
}
