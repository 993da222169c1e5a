using System.Buffers.Binary;
using System.IO.Compression;
using System.Runtime.InteropServices;
using Quayside.Messaging.Gzip;
using Quayside.Pipeline.Buffers;

namespace Quayside.Messaging.Http.Source;

/// <summary>
/// The decoded bytes of an encoded body. The runtime's streams take the end of the bytes for the end of the content, so the end of the body is
/// looked at here: of deflate the checksum (RFC 1950), of gzip the length (RFC 1952). That is the length of its last member: with several, the body is read
/// once more with a member behind it, which comes out complete and alone only if the body ends where a member does. Threads: one.
/// </summary>
internal sealed class DecodedBody : IDisposable
{
    private const int PieceBytes = 16 << 10;

    private readonly PooledBuffer _encoded;
    private readonly bool _isGzip;
    private readonly Stream _stream;
    private long _length;
    private Adler32 _checksum = new();

    public DecodedBody(string coding, PooledBuffer encoded)
    {
        _encoded = encoded;
        _isGzip = coding == "gzip";
        _stream = _isGzip ? new GZipStream(Source(), CompressionMode.Decompress) : new ZLibStream(Source(), CompressionMode.Decompress);
    }

    /// <summary>Called once, after the last read.</summary>
    /// <returns>True when nothing of the body is missing.</returns>
    /// <exception cref="InvalidDataException">As for <see cref="Read"/>.</exception>
    public bool IsWhole()
    {
        if (_encoded.Length <= sizeof(uint))
        {
            return false;
        }

        ReadOnlySpan<byte> end = _encoded.WrittenSpan[^sizeof(uint)..];
        return _isGzip
            ? (_length > 0 && BinaryPrimitives.ReadUInt32LittleEndian(end) == (uint)_length) || EndsWithAMember()
            : BinaryPrimitives.ReadUInt32BigEndian(end) == _checksum.Value;
    }

    /// <returns>Bytes read; 0 at the end.</returns>
    /// <exception cref="InvalidDataException">The body is not what its coding says.</exception>
    public int Read(Span<byte> buffer)
    {
        int read = _stream.Read(buffer);
        _length += read;
        if (!_isGzip)
        {
            _checksum.Append(buffer[..read]);
        }

        return read;
    }

    public void Dispose() => _stream.Dispose();

    private bool EndsWithAMember()
    {
        _encoded.Append(GzipSeal.Member.Span);
        using GZipStream again = new(Source(), CompressionMode.Decompress);
        Span<byte> piece = new byte[GzipSeal.Content.Length + PieceBytes];
        long total = 0;
        int kept = 0;
        int read;
        while ((read = again.Read(piece.Slice(kept, PieceBytes))) > 0)
        {
            total += read;
            int have = kept + read;
            kept = Math.Min(have, GzipSeal.Content.Length);
            piece[(have - kept)..have].CopyTo(piece);
        }

        return total == _length + GzipSeal.Content.Length && piece[..kept].SequenceEqual(GzipSeal.Content.Span);
    }

    private MemoryStream Source()
    {
        ReadOnlyMemory<byte> encoded = _encoded.WrittenMemory;
        ArraySegment<byte> bytes = MemoryMarshal.TryGetArray(encoded, out ArraySegment<byte> array) ? array : encoded.ToArray();
        return new MemoryStream(bytes.Array!, bytes.Offset, bytes.Count, writable: false);
    }
}
