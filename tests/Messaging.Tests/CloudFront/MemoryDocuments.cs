using System.Buffers;
using System.Text;
using Quayside.Messaging.Sinks;

namespace Messaging.Tests.CloudFront;

/// <summary>A sink that keeps documents by id, in small batches; rejects, fails and waits on demand. Asserts correct use.</summary>
internal sealed class MemoryDocuments : IDocumentSink
{
    private readonly Lock _lock = new();
    private readonly TaskCompletionSource _atGate = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Dictionary<string, string> _documents = new(StringComparer.Ordinal);

    /// <summary>Documents per batch.</summary>
    public int BatchSize { get; set; } = 7;

    /// <summary>Called with each document's number; true rejects it.</summary>
    public Func<long, bool> Rejects { get; set; } = static _ => false;

    /// <summary>Called with the number of each batch since the sink was made, from 1; a status other than stored ends the writer.</summary>
    public Func<int, SinkStatus> Batch { get; set; } = static _ => SinkStatus.Stored;

    /// <summary>Added to the created documents of each result, as a sink with a defect counts.</summary>
    public int Miscount { get; set; }

    /// <summary>Makes each batch that was stored report a failure, which the result does not.</summary>
    public bool Contradicts { get; set; }

    /// <summary>When set, every batch waits for it.</summary>
    public Task? Gate { get; set; }

    /// <summary>Completes when the first batch waits.</summary>
    public Task AtGate => _atGate.Task;

    /// <summary>Number of batches so far.</summary>
    public int Batches { get; private set; }

    /// <summary>Number of writers not yet disposed.</summary>
    public int Open { get; private set; }

    public IReadOnlyDictionary<string, string> Documents
    {
        get
        {
            lock (_lock)
            {
                return new Dictionary<string, string>(_documents, StringComparer.Ordinal);
            }
        }
    }

    public Task CheckAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>Makes <see cref="Begin"/> return null.</summary>
    public bool HasNoWriter { get; set; }

    public IDocumentWriter Begin(IDocumentRejections rejections)
    {
        if (HasNoWriter)
        {
            return null!;
        }

        Open++;
        return new Writer(this, rejections);
    }

    public ValueTask DisposeAsync() => default;

    private sealed class Writer(MemoryDocuments sink, IDocumentRejections rejections) : IDocumentWriter
    {
        private readonly ArrayBufferWriter<byte> _body = new();
        private readonly List<(string Id, string Json)> _batch = [];
        private string? _open;
        private long _written;
        private long _created;
        private long _existing;
        private long _rejected;
        private SinkStatus _status = SinkStatus.Stored;
        private bool _disposed;

        public IBufferWriter<byte> Body => _open is null ? throw new InvalidOperationException("No document is open.") : _body;

        public long Answered => _created + _existing + _rejected;

        public bool IsFull => _batch.Count >= sink.BatchSize;

        void IDocumentWriter.Open(ReadOnlySpan<byte> id)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            (_open is null).ShouldBeTrue("a document is open already");
            IsFull.ShouldBeFalse("a full batch must be sent before");
            _open = Encoding.ASCII.GetString(id);
            _open.Length.ShouldBeInRange(1, 512);
            _open.All(c => char.IsAsciiLetterOrDigit(c) || c is '-' or '_').ShouldBeTrue(_open);
        }

        public void Close()
        {
            string json = new UTF8Encoding(false, throwOnInvalidBytes: true).GetString(_body.WrittenSpan);
            json.ShouldNotContain('\n');
            json.ShouldNotContain('\r');
            _batch.Add((_open!, json));
            _open = null;
            _body.ResetWrittenCount();
        }

        public async ValueTask<bool> SendAsync(CancellationToken cancellationToken)
        {
            await Task.Yield();
            cancellationToken.ThrowIfCancellationRequested();
            if (sink.Gate is { } gate)
            {
                sink._atGate.TrySetResult();
                await gate.WaitAsync(cancellationToken);
            }

            _status = sink.Batch(++sink.Batches);
            if (_status != SinkStatus.Stored)
            {
                return false;
            }

            foreach ((string id, string json) in _batch)
            {
                long index = _written++;
                if (sink.Rejects(index))
                {
                    _rejected++;
                    await rejections.RejectAsync(
                        new DocumentRejection(id, Encoding.UTF8.GetBytes(json), 400, "mapper_parsing_exception", "no"), cancellationToken);
                    continue;
                }

                lock (sink._lock)
                {
                    if (sink._documents.TryAdd(id, json))
                    {
                        _created++;
                    }
                    else
                    {
                        _existing++;
                    }
                }
            }

            _batch.Clear();
            return !sink.Contradicts;
        }

        public async ValueTask<DocumentsResult> CompleteAsync(CancellationToken cancellationToken)
        {
            if (_status == SinkStatus.Stored && _batch.Count > 0)
            {
                await SendAsync(cancellationToken);
            }

            return Result();
        }

        public ValueTask<DocumentsResult> EndAsync(CancellationToken cancellationToken) => new(Result());

        public ValueTask DisposeAsync()
        {
            sink.Open -= _disposed ? 0 : 1;
            _disposed = true;
            return default;
        }

        private DocumentsResult Result() => new(_status, _created + sink.Miscount, _existing, _rejected, _status == SinkStatus.Stored ? null : "scripted");
    }
}
