using System.Net;

namespace Messaging.Aws.S3.Sink.Direct;

/// <summary>
/// A reusable body of PUTs, over bytes that the caller owns. HTTP/1.1 only: there the client has finished reading the body when the
/// call ends. One request at a time.
/// </summary>
internal sealed class PutContent : HttpContent
{
    private ReadOnlyMemory<byte> _bytes;

    /// <summary>Sets the body of the next request, borrowed until <see cref="Close"/>.</summary>
    public void Open(ReadOnlyMemory<byte> bytes)
    {
        _bytes = bytes;

        // HttpContent would compute the length once and keep it. Each new value allocates about 90 bytes.
        if (Headers.ContentLength != bytes.Length)
        {
            Headers.ContentLength = bytes.Length;
        }
    }

    public void Close() => _bytes = default;

    protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context) =>
        stream.WriteAsync(_bytes).AsTask();

    protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context, CancellationToken cancellationToken) =>
        stream.WriteAsync(_bytes, cancellationToken).AsTask();

    protected override bool TryComputeLength(out long length)
    {
        length = _bytes.Length;
        return true;
    }
}
