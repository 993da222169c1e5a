using System.Runtime.CompilerServices;
using Quayside.Messaging.Archive.Headers;
using Quayside.Messaging.Archive.ObjectKeys;
using Quayside.Messaging.Sinks;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Buffers;
using Quayside.Pipeline.Contexts;
using Quayside.Pipeline.Frames;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Archive;

/// <summary>Reads the header and writes the key. It dead-letters a message that it cannot read, before anything is stored.</summary>
internal sealed class ArchiveConnector(
    ArchiveHeaderReader reader, KeyTemplate template, MissingIdRule missingId, KeyPartMonitor monitor,
    int concurrency) : IBehavior<MessageContext, ArchiveContext>
{
    private readonly ContextPool<ArchiveContext> _contexts = new(concurrency);

    public ValueTask InvokeAsync(MessageContext context, Next<ArchiveContext> next)
    {
        ArchiveContext archive = _contexts.Rent();
        ValueTask rest;
        try
        {
            if (!TryPrepare(context, archive, out Poison poison))
            {
                context.Settlement = Settlement.DeadLetter(poison.Reason!, PoisonDescription.Of(poison, archive.Header, template.Properties));
                _contexts.Return(archive);
                return default;
            }

            rest = next.InvokeAsync(archive);
        }
        catch
        {
            _contexts.Return(archive);
            throw;
        }

        if (!rest.IsCompletedSuccessfully)
        {
            return AwaitAsync(rest, context, archive);
        }

        rest.GetAwaiter().GetResult();
        context.Settlement = archive.Settlement;
        _contexts.Return(archive);
        return default;
    }

    private bool TryPrepare(MessageContext context, ArchiveContext archive, out Poison poison)
    {
        ReadOnlyMemory<byte> body = context.Message.Body;
        archive.CancellationToken = context.CancellationToken;
        archive.Body = context.Message.StoredBody;
        if (!reader.TryRead(body, archive.Header, out poison) || !reader.TryReadSource(context.Message, archive.Header, out poison))
        {
            return false;
        }

        // Some sources make the id when it is read.
        ReadOnlySpan<byte> sourceId =
            missingId == MissingIdRule.UseSourceId && template.NeedsSourceId(archive.Header) ? context.Message.SourceId.Span : default;
        if (!template.TryWrite(archive.Header, sourceId, archive.KeyBuffer, out poison, monitor))
        {
            return false;
        }

        if (template.ObjectProperties is { } properties)
        {
            archive.Properties = properties.Read(archive.Header, sourceId);
        }

        return true;
    }

    [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder))]
    private async ValueTask AwaitAsync(ValueTask rest, MessageContext context, ArchiveContext archive)
    {
        try
        {
            await rest;
            context.Settlement = archive.Settlement;
        }
        finally
        {
            _contexts.Return(archive);
        }
    }
}

/// <summary>The logical stage's context: the header that was read, the key made from it, and the bytes to store.</summary>
internal sealed class ArchiveContext : PipelineContext
{
    // It stays with the context.
    private readonly PooledBuffer _key = BufferPool.Shared.Rent();

    /// <summary>The values read from the body.</summary>
    public ArchiveHeader Header { get; } = new();

    /// <summary>The bytes to store: the message's body, unchanged, or the whole that it was unwrapped from. A borrow from the physical message.</summary>
    public ReadOnlyMemory<byte> Body { get; set; }

    /// <summary>The object's metadata and tags.</summary>
    public ObjectProperties Properties { get; set; } = ObjectProperties.None;

    /// <summary>The object's key, UTF-8; empty until it is written.</summary>
    public ReadOnlyMemory<byte> Key => _key.WrittenMemory;

    /// <summary>The buffer to write the key to; empty after <see cref="Reset"/>.</summary>
    public PooledBuffer KeyBuffer => _key;

    /// <inheritdoc/>
    public override void Reset()
    {
        base.Reset();
        Header.Reset();
        Body = default;
        Properties = ObjectProperties.None;
        _key.Truncate(0);
    }
}
