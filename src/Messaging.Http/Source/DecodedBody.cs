using System.Buffers.Binary;
using System.IO.Compression;
using System.Runtime.InteropServices;
using Messaging.Envelopes.Compression;
using Pipeline.Buffers;

namespace Messaging.Http.Source;

/// <summary>
/// The decoded bytes of an encoded body. The runtime's streams take the end of the bytes for the end of the content, so the seal at the end of the body is
/// compared here: of gzip the length (RFC 1952), of deflate the checksum (RFC 1950). Threads: one.
/// </summary>
internal sealed class DecodedBody : IDisposable
{
    private readonly ReadOnlyMemory<byte> _encoded;
    private readonly bool _isGzip;
    private readonly Stream _stream;
    private uint _length;
    private Adler32 _checksum = new();

    public DecodedBody(string coding, PooledBuffer encoded)
    {
        _encoded = encoded.WrittenMemory;
        _isGzip = coding == "gzip";
        ArraySegment<byte> bytes = MemoryMarshal.TryGetArray(_encoded, out ArraySegment<byte> array) ? array : _encoded.ToArray();
        MemoryStream source = new(bytes.Array!, bytes.Offset, bytes.Count, writable: false);
        _stream = _isGzip ? new GZipStream(source, CompressionMode.Decompress) : new ZLibStream(source, CompressionMode.Decompress);
    }

    /// <summary>After the last read: true when nothing of the body is missing.</summary>
    public bool IsWhole => _encoded.Length > sizeof(uint)
        && (_isGzip ? BinaryPrimitives.ReadUInt32LittleEndian(_encoded.Span[^sizeof(uint)..]) == _length : BinaryPrimitives.ReadUInt32BigEndian(_encoded.Span[^sizeof(uint)..]) == _checksum.Value);

    /// <returns>Bytes read; 0 at the end.</returns>
    /// <exception cref="InvalidDataException">The body is not what its coding says.</exception>
    public int Read(Span<byte> buffer)
    {
        int read = _stream.Read(buffer);
        _length = unchecked(_length + (uint)read);
        if (!_isGzip)
        {
            _checksum.Append(buffer[..read]);
        }

        return read;
    }

    public void Dispose() => _stream.Dispose();
}
