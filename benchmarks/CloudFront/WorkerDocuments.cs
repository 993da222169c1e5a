using Quayside.Messaging.CloudFront;
using Quayside.Messaging.CloudFront.Documents;
using Quayside.Messaging.Sinks;
using Quayside.Pipeline.Buffers;

namespace Benchmarks.CloudFront;

/// <summary>The worker's whole path from the object's bytes to bulk bodies, with a sink that discards them.</summary>
internal sealed class WorkerDocuments : IBadRows, IDocumentRejections
{
    private readonly LogIndexer _indexer;
    private readonly IDocumentSink _sink;

    public WorkerDocuments(IDocumentSink sink)
    {
        if (!DocumentShape.TryCreate(["date", "time", "cs(User-Agent)"], timestampField: string.Empty, out DocumentShape? shape, out string? problem))
        {
            throw new InvalidOperationException(problem);
        }

        _sink = sink;
        _indexer = new LogIndexer(
            shape, new Quayside.Messaging.CloudFront.LogLimits(WorkerColumns.Limits, 64 * 1024, MaxBadRows: 100), BufferPool.Shared);
    }

    /// <summary>Reads a file.</summary>
    /// <returns>Documents.</returns>
    public async ValueTask<long> ReadAsync(byte[] compressed)
    {
        using MemoryStream input = new(compressed);
        await using IDocumentWriter writer = _sink.Begin(this);
        LogOutcome outcome = await _indexer.IndexAsync(
            input, compressed.Length, new DocumentId("logs", "E2EXAMPLE.2026-01-31-10.abcd1234.gz", "1"), writer, this, CancellationToken.None);
        return outcome.Documents is { Status: SinkStatus.Stored } documents
            ? documents.Created
            : throw new InvalidOperationException($"The log was not read: {outcome}.");
    }

    public ValueTask KeepAsync(BadRow row, CancellationToken cancellationToken) => throw new InvalidOperationException($"{row}.");

    public ValueTask RejectAsync(DocumentRejection rejection, CancellationToken cancellationToken) => throw new InvalidOperationException($"{rejection}.");
}
