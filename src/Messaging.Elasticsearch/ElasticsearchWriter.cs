using System.Buffers;
using Quayside.Messaging.Sinks;

namespace Quayside.Messaging.Elasticsearch;

/// <summary>
/// Fills batches with the documents of one message, and sends each while the next is filled. Threads: one caller at a time; batches end on other threads.
/// </summary>
internal sealed partial class ElasticsearchWriter : IDocumentWriter, IBufferWriter<byte>
{
    private readonly ElasticsearchSink _sink;
    private readonly IDocumentRejections _rejections;

    private DocumentBatch? _batch;
    private bool _isOpen;
    private bool _isDisposed;

    public ElasticsearchWriter(ElasticsearchSink sink, IDocumentRejections rejections)
    {
        _sink = sink;
        _rejections = rejections;
    }

    public IBufferWriter<byte> Body => this;

    public bool IsFull => _batch is { } batch && (batch.Bytes >= _sink.Limits.Bytes || batch.Documents >= _sink.Limits.Documents);

    public long Answered
    {
        get
        {
            lock (_lock)
            {
                return _created + _existing + _rejected;
            }
        }
    }

    private DocumentBatch Batch => _batch ?? throw new InvalidOperationException("No document is open.");

    public void Open(ReadOnlySpan<byte> id)
    {
        if (!ActionLine.IsId(id))
        {
            throw new ArgumentException("An id must be 1 to 512 bytes of A-Z a-z 0-9 - _.", nameof(id));
        }

        _batch ??= _sink.Rent();
        _batch.Open(ActionLine.Before, id, ActionLine.Behind);
        _isOpen = true;
    }

    public void Close()
    {
        Batch.Close();
        _isOpen = false;
    }

    public void Advance(int count) => Batch.Advance(count);

    public Memory<byte> GetMemory(int sizeHint = 0) => Batch.GetMemory(sizeHint);

    public Span<byte> GetSpan(int sizeHint = 0) => Batch.GetSpan(sizeHint);

    public async ValueTask<bool> SendAsync(CancellationToken cancellationToken)
    {
        if (_isOpen)
        {
            throw new InvalidOperationException("A document is open; close it before sending.");
        }

        if (_batch is not { Documents: > 0 } || HasFailed)
        {
            return !HasFailed;
        }

        await EnterAsync(cancellationToken);
        if (HasFailed)
        {
            _sink.Leave();
            return false;
        }

        DocumentBatch batch = _batch;
        _batch = null;
        batch.Complete();
        Start(batch, cancellationToken);
        return !HasFailed;
    }

    public async ValueTask<DocumentsResult> EndAsync(CancellationToken cancellationToken)
    {
        await WaitAsync(cancellationToken);
        return Result();
    }

    public async ValueTask<DocumentsResult> CompleteAsync(CancellationToken cancellationToken)
    {
        await SendAsync(cancellationToken);
        return await EndAsync(cancellationToken);
    }

    public async ValueTask DisposeAsync()
    {
        if (_isDisposed)
        {
            return;
        }

        _isDisposed = true;

        // Batches in flight are cancelled: the message was not completed and is redelivered.
        await StopAsync();
        if (Interlocked.Exchange(ref _batch, null) is { } batch)
        {
            _sink.Return(batch);
        }
    }
}
