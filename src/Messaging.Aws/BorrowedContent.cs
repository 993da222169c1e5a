using System.Net;

namespace Messaging.Aws;

/// <summary>
/// A request body over bytes that the caller owns. HTTP/1.1 only: there the client has finished reading the body when the call ends, so
/// the owner may then reuse the bytes.
/// </summary>
internal sealed class BorrowedContent(ReadOnlyMemory<byte> bytes) : HttpContent
{
    protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context) =>
        stream.WriteAsync(bytes).AsTask();

    protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context, CancellationToken cancellationToken) =>
        stream.WriteAsync(bytes, cancellationToken).AsTask();

    protected override bool TryComputeLength(out long length)
    {
        length = bytes.Length;
        return true;
    }
}
