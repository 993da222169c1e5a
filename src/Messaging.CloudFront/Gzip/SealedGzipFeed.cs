using System.Runtime.CompilerServices;
using Quayside.Messaging.Gzip;
using Quayside.Pipeline.Frames;

namespace Quayside.Messaging.CloudFront.Gzip;

/// <summary>The decompressor's input: the compressed bytes of an object, then the seal. Threads: one at a time.</summary>
/// <param name="source">The object's bytes. Borrowed.</param>
/// <param name="length">The expected number of bytes; -1 when unknown.</param>
internal sealed class SealedGzipFeed(Stream source, long length) : Stream
{
    private readonly byte[] _magic = new byte[2];
    private ReadOnlyMemory<byte> _seal = GzipSeal.Member;

    /// <summary>Compressed bytes read by the decompressor, without the seal's.</summary>
    public long Taken { get; private set; }

    /// <summary>True once the decompressor has read all the object's bytes and asked for more.</summary>
    public bool IsSealTaken { get; private set; }

    /// <summary>False when the first two bytes rule out gzip; true while fewer are known and match.</summary>
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
            // A fault of the transport, not of the object: fewer bytes arrived than announced.
            throw new EndOfStreamException($"The object ended after {Taken} of {length} bytes.");
        }

        IsSealTaken = true;
        int handed = Math.Min(_seal.Length, buffer.Length);
        _seal.Span[..handed].CopyTo(buffer);
        _seal = _seal[handed..];
        return handed;
    }
}
