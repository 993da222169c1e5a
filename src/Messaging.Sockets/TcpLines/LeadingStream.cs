namespace Quayside.Messaging.Sockets.TcpLines;

/// <summary>Bytes that were already read, followed by the rest of a stream; writes go to the stream. Disposing it leaves the inner stream open.</summary>
internal sealed class LeadingStream(ReadOnlyMemory<byte> first, Stream inner) : Stream
{
    private ReadOnlyMemory<byte> _first = first;

    public override bool CanRead => true;

    public override bool CanSeek => false;

    public override bool CanWrite => true;

    public override long Length => throw new NotSupportedException();

    public override long Position { get => throw new NotSupportedException(); set => throw new NotSupportedException(); }

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        if (_first.IsEmpty || buffer.IsEmpty)
        {
            return inner.ReadAsync(buffer, cancellationToken);
        }

        int count = Math.Min(buffer.Length, _first.Length);
        _first[..count].CopyTo(buffer);
        _first = _first[count..];
        return new ValueTask<int>(count);
    }

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default) => inner.WriteAsync(buffer, cancellationToken);

    public override Task FlushAsync(CancellationToken cancellationToken) => inner.FlushAsync(cancellationToken);

    public override void Flush() => inner.Flush();

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();
}
