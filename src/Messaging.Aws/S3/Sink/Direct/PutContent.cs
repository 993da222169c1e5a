using System.Net;

namespace Messaging.Aws.S3.Sink.Direct;

/// <summary>
/// The body of one PUT after the other, over bytes that their owner keeps. HTTP/1.1 only: there the client has finished with the
/// body when the call that sends it ends. One request at a time.
/// </summary>
internal sealed class PutContent : HttpContent
{
    private ReadOnlyMemory<byte> _bytes;

    /// <summary>The body of the next request; a borrow until <see cref="Close"/>.</summary>
    public void Open(ReadOnlyMemory<byte> bytes)
    {
        _bytes = bytes;

        // The client would compute it for the first request only and then remember it. Each new value costs about 90 bytes.
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
