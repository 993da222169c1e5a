namespace Messaging.Tests.CloudFront;

/// <summary>A stream that returns its bytes in pieces: of one size, or cut at given positions; each piece synchronously or after a real suspension.</summary>
internal sealed class Pieces(byte[] bytes, Func<int, int> sizeAt, bool suspend = false) : Stream
{
    private int _at;

    public override bool CanRead => true;

    public override bool CanSeek => false;

    public override bool CanWrite => false;

    public override long Length => bytes.Length;

    public override long Position
    {
        get => _at;
        set => throw new NotSupportedException();
    }

    /// <summary>An exception that replaces the end of the stream.</summary>
    public Exception? Failure { get; init; }

    public static Pieces Of(byte[] bytes, int size, bool suspend = false) => new(bytes, _ => size, suspend);

    /// <summary>A stream of two pieces.</summary>
    public static Pieces SplitAt(byte[] bytes, int place) => new(bytes, at => at < place ? place - at : int.MaxValue);

    public override int Read(Span<byte> buffer)
    {
        int count = Math.Min(Math.Min(buffer.Length, Math.Max(1, sizeAt(_at))), bytes.Length - _at);
        if (count == 0 && Failure is { } failure && !buffer.IsEmpty)
        {
            throw failure;
        }

        bytes.AsSpan(_at, count).CopyTo(buffer);
        _at += count;
        return count;
    }

    public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        if (suspend)
        {
            await Task.Yield();
        }

        return Read(buffer.Span);
    }

    public override void Flush()
    {
    }

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();
}
