using System.Buffers;
using Messaging.CloudFront;
using Messaging.CloudFront.Documents;
using Messaging.CloudFront.Gzip;
using Messaging.Sinks;
using Pipeline.Buffers;
using Tests.Shared;
using Tests.Shared.CloudFront;

namespace Worker.Tests.CloudFront;

/// <summary>A row allocates nothing, and a larger log needs no more memory than a small one.</summary>
[Collection(AllocationCollection.Name)]
public sealed class LogIndexerAllocationTests : IBadRows, IDocumentRejections
{
    private const int Small = 10_000;
    private const int Large = 100_000;

    // Decompressor, window and other objects per log; 1,200 to 1,400 bytes measured.
    private const int MaxBytesPerLog = 4_096;

    private readonly CountingDocuments _documents = new();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Index_TenTimesTheRows_AllocatesTheSame(bool decode)
    {
        long small = Measure(AccessLog.CreateCompressed(Small), Small, decode);
        long large = Measure(AccessLog.CreateCompressed(Large), Large, decode);

        small.ShouldBeLessThan(MaxBytesPerLog);
        large.ShouldBe(small, "bytes per log with ten times the rows");
    }

    ValueTask IBadRows.KeepAsync(BadRow row, CancellationToken cancellationToken) => throw new InvalidOperationException($"{row}");

    ValueTask IDocumentRejections.RejectAsync(DocumentRejection rejection, CancellationToken cancellationToken) => throw new InvalidOperationException($"{rejection}");

    private long Measure(byte[] compressed, int rows, bool decode)
    {
        DocumentShape.TryCreate(IndexRun.Columns, IndexRun.TimestampField, out DocumentShape? shape, out _).ShouldBeTrue();
        LogIndexer indexer = new(shape!, new LogLimits(new GzipLimits(256L << 20, 200), 64 * 1024, 100, decode), new BufferPool());
        using MemoryStream source = new(compressed);
        DocumentId id = new("logs", "key", "version");
        LogOutcome outcome = default;
        long bytes = MinBytes.OfThread(() =>
        {
            source.Position = 0;
            outcome = indexer.IndexAsync(source, compressed.Length, id, _documents, new RowNumbers(), this, CancellationToken.None).GetAwaiter().GetResult();
        });

        outcome.Rows.ShouldBe(rows);
        outcome.BadRows.ShouldBe(0);
        return bytes;
    }

    /// <summary>Discards documents without allocating.</summary>
    private sealed class CountingDocuments : IDocumentWriter
    {
        private readonly ArrayBufferWriter<byte> _body = new(1 << 20);
        private long _documents;

        public IBufferWriter<byte> Body => _body;

        public bool IsFull => _body.WrittenCount > 500_000;

        public void Open(ReadOnlySpan<byte> id) => _body.Write(id);

        public void Close() => _documents++;

        public ValueTask<bool> SendAsync(CancellationToken cancellationToken)
        {
            _body.ResetWrittenCount();
            return new ValueTask<bool>(true);
        }

        public ValueTask<DocumentsResult> EndAsync(CancellationToken cancellationToken) => new(new DocumentsResult(SinkStatus.Stored, _documents, 0, 0));

        public ValueTask<DocumentsResult> CompleteAsync(CancellationToken cancellationToken)
        {
            _body.ResetWrittenCount();
            return new ValueTask<DocumentsResult>(new DocumentsResult(SinkStatus.Stored, _documents, 0, 0));
        }

        public ValueTask DisposeAsync() => default;
    }
}
