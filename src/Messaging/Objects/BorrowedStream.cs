namespace Quayside.Messaging.Objects;

/// <summary>
/// Reads the caller's bytes until <see cref="Detach"/>. After a timeout or a reset the HTTP client may still be reading when the call has
/// ended; it then gets an error, never the next message's bytes. Therefore one per attempt, not pooled: about 80 bytes, while the SDK
/// allocates 60 KB per request. Threads: one reader, any may detach.
/// </summary>
internal sealed class BorrowedStream(ReadOnlyMemory<byte> bytes) : Stream
{
    private readonly Lock _lock = new();
    private readonly int _length = bytes.Length;
    private ReadOnlyMemory<byte> _bytes = bytes;
    private int _position;
    private bool _detached;

    public override bool CanRead => true;

    public override bool CanSeek => true;

    public override bool CanWrite => false;

    public override long Length => _length;

    public override long Position
    {
        get => _position;
        set => Seek(value, SeekOrigin.Begin);
    }

    /// <summary>Releases the bytes: nothing reads them after it has returned.</summary>
    public void Detach()
    {
        lock (_lock)
        {
            _bytes = default;
            _detached = true;
        }
    }

    public override int Read(Span<byte> buffer)
    {
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_detached, this);
            int count = Math.Min(buffer.Length, _length - _position);
            _bytes.Span.Slice(_position, count).CopyTo(buffer);
            _position += count;
            return count;
        }
    }

    public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

    public override int ReadByte()
    {
        byte value = 0;
        return Read(new Span<byte>(ref value)) == 0 ? -1 : value;
    }

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
        cancellationToken.IsCancellationRequested ? ValueTask.FromCanceled<int>(cancellationToken) : new ValueTask<int>(Read(buffer.Span));

    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        cancellationToken.IsCancellationRequested ? Task.FromCanceled<int>(cancellationToken) : Task.FromResult(Read(buffer.AsSpan(offset, count)));

    public override long Seek(long offset, SeekOrigin origin)
    {
        long target = offset + (origin switch
        {
            SeekOrigin.Begin => 0,
            SeekOrigin.Current => _position,
            _ => _length,
        });
        ArgumentOutOfRangeException.ThrowIfGreaterThan((ulong)target, (ulong)_length, nameof(offset));
        _position = (int)target;
        return target;
    }

    public override void Flush()
    {
    }

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();
}
