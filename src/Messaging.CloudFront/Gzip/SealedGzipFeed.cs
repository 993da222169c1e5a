using System.Runtime.CompilerServices;
using Pipeline.Frames;

namespace Messaging.CloudFront.Gzip;

/// <summary>The compressed bytes of an object and, behind their end, the seal. What the decompressor reads from. Threads: one at a time.</summary>
/// <param name="source">The object's bytes. Borrowed.</param>
/// <param name="length">How many there must be; -1 when unknown.</param>
internal sealed class SealedGzipFeed(Stream source, long length) : Stream
{
    private readonly byte[] _magic = new byte[2];
    private ReadOnlyMemory<byte> _seal = GzipSeal.Member;

    /// <summary>Compressed bytes handed out, the seal's not counted.</summary>
    public long Taken { get; private set; }

    /// <summary>True once the object's bytes are used up and the decompressor asked for more.</summary>
    public bool IsSealTaken { get; private set; }

    /// <summary>False when the bytes cannot be gzip by their first two; true while fewer are known.</summary>
    public bool MayBeGzip => (Taken < 1 || _magic[0] == 0x1F) && (Taken < 2 || _magic[1] == 0x8B);

    public override bool CanRead => true;

    public override bool CanSeek => false;

    public override bool CanWrite => false;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    public override int Read(Span<byte> buffer) => buffer.IsEmpty ? 0 : Hand(buffer, IsSealTaken ? 0 : source.Read(buffer));

    public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

    [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder<>))]
    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        int count = buffer.IsEmpty || IsSealTaken ? 0 : await source.ReadAsync(buffer, cancellationToken);
        return Hand(buffer.Span, count);
    }

    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public override void Flush()
    {
    }

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    private int Hand(Span<byte> buffer, int count)
    {
        if (buffer.IsEmpty)
        {
            return 0;
        }

        if (count > 0)
        {
            for (int i = 0; i < count && Taken + i < _magic.Length; i++)
            {
                _magic[Taken + i] = buffer[i];
            }

            Taken += count;
            return count;
        }

        if (Taken < length)
        {
            // Not the object's fault: what was announced did not arrive.
            throw new EndOfStreamException($"The object ended after {Taken} of {length} bytes.");
        }

        IsSealTaken = true;
        int handed = Math.Min(_seal.Length, buffer.Length);
        _seal.Span[..handed].CopyTo(buffer);
        _seal = _seal[handed..];
        return handed;
    }
}
