namespace Quayside.Messaging.Envelopes.Compression;

/// <summary>The bytes of a body as a stream, which knows whether its reader wanted more. Threads: one at a time.</summary>
internal sealed class BodyFeed(ReadOnlyMemory<byte> body) : Stream
{
    private ReadOnlyMemory<byte> _rest = body;

    /// <summary>True when more was asked for than there is: what is compressed has no end.</summary>
    public bool IsExhausted { get; private set; }

    /// <summary>Bytes that were not handed out.</summary>
    public int Left => _rest.Length;

    public override bool CanRead => true;

    public override bool CanSeek => false;

    public override bool CanWrite => false;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    public override int Read(Span<byte> buffer)
    {
        IsExhausted |= _rest.IsEmpty && !buffer.IsEmpty;

        // The last byte alone: a reader that has found the end before it does not ask for it.
        int count = Math.Min(buffer.Length, _rest.Length > 1 ? _rest.Length - 1 : _rest.Length);
        _rest.Span[..count].CopyTo(buffer);
        _rest = _rest[count..];
        return count;
    }

    public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

    public override void Flush()
    {
    }

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();
}
