using System.IO.Compression;
using System.Net;
using System.Net.Http.Headers;

namespace Quayside.Messaging.Elasticsearch;

/// <summary>
/// The body of one request. It writes the batch's segments directly to the connection or through a compressor, without collecting them
/// first. HTTP/1.1 only.
/// </summary>
internal sealed class BatchContent : HttpContent
{
    private readonly DocumentBatch _batch;
    private readonly int _count;
    private readonly bool _gzip;
    private int _writing;

    /// <param name="batch">A borrow until the request has ended and <see cref="IsInUse"/> is false.</param>
    /// <param name="count">Number of pending documents to send.</param>
    /// <param name="gzip">Whether to compress.</param>
    public BatchContent(DocumentBatch batch, int count, bool gzip)
    {
        _batch = batch;
        _count = count;
        _gzip = gzip;
        Headers.ContentType = new MediaTypeHeaderValue("application/x-ndjson");
        if (gzip)
        {
            Headers.ContentEncoding.Add("gzip");
        }
    }

    /// <summary>True while the batch is read. A write may outlive a request that failed while it waited for 100 Continue.</summary>
    public bool IsInUse => Volatile.Read(ref _writing) != 0;

    protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context) => SerializeToStreamAsync(stream, context, CancellationToken.None);

    protected override async Task SerializeToStreamAsync(Stream stream, TransportContext? context, CancellationToken cancellationToken)
    {
        Interlocked.Increment(ref _writing);
        try
        {
            if (_gzip)
            {
                // The fastest level already finds the field names, which every document repeats.
                await using GZipStream compressor = new(stream, CompressionLevel.Fastest, leaveOpen: true);
                await _batch.WriteAsync(compressor, _count, cancellationToken);
            }
            else
            {
                await _batch.WriteAsync(stream, _count, cancellationToken);
            }
        }
        finally
        {
            Interlocked.Decrement(ref _writing);
        }
    }

    protected override bool TryComputeLength(out long length)
    {
        length = _gzip ? 0 : _batch.BytesOf(_count);
        return !_gzip;
    }
}
