using System.Net;

namespace Quayside.Messaging.Aws;

/// <summary>
/// A request body over bytes that the caller owns. HTTP/1.1 only: there the client has finished reading the body when the call ends, so
/// the owner may then reuse the bytes, and this object for the next request.
/// </summary>
internal sealed class BorrowedContent : HttpContent
{
    /// <summary>The body of the next request, borrowed until its call ends.</summary>
    public ReadOnlyMemory<byte> Bytes { get; set; }

    /// <summary>The body of a request; empty without one.</summary>
    public static ReadOnlyMemory<byte> Of(HttpRequestMessage request) => request.Content is BorrowedContent content ? content.Bytes : default;

    protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context) =>
        stream.WriteAsync(Bytes).AsTask();

    protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context, CancellationToken cancellationToken) =>
        stream.WriteAsync(Bytes, cancellationToken).AsTask();

    protected override bool TryComputeLength(out long length)
    {
        length = Bytes.Length;
        return true;
    }
}
