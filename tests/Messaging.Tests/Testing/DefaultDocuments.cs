using System.Buffers;
using Quayside.Messaging.Sinks;

namespace Messaging.Tests.Testing;

/// <summary>A document sink whose every answer is the default value.</summary>
internal sealed class DefaultDocuments : IDocumentSink, IDocumentWriter
{
    private readonly ArrayBufferWriter<byte> _body = new();

    public IBufferWriter<byte> Body => _body;

    public bool IsFull => _body.WrittenCount > 1_000;

    public Task CheckAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public IDocumentWriter Begin(IDocumentRejections rejections) => this;

    public void Open(ReadOnlySpan<byte> id)
    {
    }

    public void Close()
    {
    }

    public ValueTask<bool> SendAsync(CancellationToken cancellationToken) => default;

    public ValueTask<DocumentsResult> EndAsync(CancellationToken cancellationToken) => default;

    public ValueTask<DocumentsResult> CompleteAsync(CancellationToken cancellationToken) => default;

    public ValueTask DisposeAsync() => default;
}
