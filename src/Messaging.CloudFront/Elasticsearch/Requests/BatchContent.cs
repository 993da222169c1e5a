using System.IO.Compression;
using System.Net;
using System.Net.Http.Headers;
using Messaging.CloudFront.Elasticsearch.Batches;

namespace Messaging.CloudFront.Elasticsearch.Requests;

/// <summary>
/// The body of one request, written from the batch's segments straight into the connection, or through a compressor: nothing is gathered.
/// One request; HTTP/1.1 only.
/// </summary>
internal sealed class BatchContent : HttpContent
{
    private readonly DocumentBatch _batch;
    private readonly int _count;
    private readonly bool _gzip;
    private int _writing;

    /// <param name="batch">A borrow until the request has ended and <see cref="IsInUse"/> is false.</param>
    /// <param name="count">The next so many pending documents are sent.</param>
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

    /// <summary>True while the batch is read. After a request that waited for the server's consent (Expect: 100-continue) and failed, a write may still be on its way.</summary>
    public bool IsInUse => Volatile.Read(ref _writing) != 0;

    protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context) => SerializeToStreamAsync(stream, context, CancellationToken.None);

    protected override async Task SerializeToStreamAsync(Stream stream, TransportContext? context, CancellationToken cancellationToken)
    {
        Interlocked.Increment(ref _writing);
        try
        {
            if (_gzip)
            {
                // The cheapest level: what documents of one kind repeat, their names, it finds too.
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
