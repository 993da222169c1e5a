using System.Buffers;
using System.Text;
using Quayside.Messaging.Sinks;

namespace Benchmarks.CloudFront;

/// <summary>Writes bulk bodies as a real sink would, an action line and the document, and discards each full body.</summary>
internal sealed class DiscardingSink : IDocumentSink, IDocumentWriter
{
    // As large as a batch for Elasticsearch usually is; rows never grow it.
    private const int BatchBytes = 5 << 20;

    private static readonly byte[] Before = Encoding.ASCII.GetBytes("{\"create\":{\"_id\":\"");
    private static readonly byte[] After = Encoding.ASCII.GetBytes("\"}}\n");

    private readonly ArrayBufferWriter<byte> _body = new(BatchBytes + (1 << 20));
    private long _documents;

    public IBufferWriter<byte> Body => _body;

    public bool IsFull => _body.WrittenCount >= BatchBytes;

    /// <summary>Bytes of all bodies.</summary>
    public long Bytes { get; private set; }

    /// <summary>Keeps the bodies' text when set.</summary>
    public StringBuilder? Kept { get; set; }

    public Task CheckAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public IDocumentWriter Begin(IDocumentRejections rejections) => this;

    public void Open(ReadOnlySpan<byte> id)
    {
        _documents++;
        _body.Write(Before);
        _body.Write(id);
        _body.Write(After);
    }

    public void Close() => _body.Write("\n"u8);

    public ValueTask<bool> SendAsync(CancellationToken cancellationToken)
    {
        Bytes += _body.WrittenCount;
        Kept?.Append(Encoding.UTF8.GetString(_body.WrittenSpan));
        _body.ResetWrittenCount();
        return new ValueTask<bool>(true);
    }

    public ValueTask<DocumentsResult> EndAsync(CancellationToken cancellationToken) =>
        new(new DocumentsResult(SinkStatus.Stored, _documents, Existing: 0, Rejected: 0));

    public ValueTask<DocumentsResult> CompleteAsync(CancellationToken cancellationToken)
    {
        _ = SendAsync(cancellationToken);
        DocumentsResult result = new(SinkStatus.Stored, _documents, Existing: 0, Rejected: 0);
        _documents = 0;
        return new ValueTask<DocumentsResult>(result);
    }

    public ValueTask DisposeAsync() => default;
}
