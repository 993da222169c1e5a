using System.Runtime.CompilerServices;
using Pipeline.Behaviors;
using Pipeline.Contexts;
using Pipeline.Frames;
using Pipeline.Settlements;
using Messaging.Archive.Headers;
using Messaging.Archive.ObjectKeys;

namespace Messaging.Archive;

/// <summary>Reads the header and writes the key. It dead-letters a message that it cannot read, before anything is stored.</summary>
internal sealed class ArchiveConnector(ArchiveHeaderReader reader, KeyTemplate template, MissingIdRule missingId, KeyPartMonitor monitor, int concurrency) : IBehavior<PhysicalContext, ArchiveContext>
{
    private readonly ContextPool<ArchiveContext> _contexts = new(concurrency);

    public ValueTask InvokeAsync(PhysicalContext context, Next<ArchiveContext> next)
    {
        ArchiveContext archive = _contexts.Rent();
        ValueTask rest;
        try
        {
            if (!TryPrepare(context, archive, out Poison poison))
            {
                context.Settlement = Settlement.DeadLetter(poison.Reason.Code(), PoisonDescription.Of(poison, archive.Header, template.Properties));
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

    private bool TryPrepare(PhysicalContext context, ArchiveContext archive, out Poison poison)
    {
        ReadOnlyMemory<byte> body = context.Message.Body;
        archive.CancellationToken = context.CancellationToken;
        archive.Body = body;
        if (!reader.TryRead(body, archive.Header, out poison))
        {
            return false;
        }

        // Some sources make the id when it is read.
        ReadOnlySpan<byte> sourceId = missingId == MissingIdRule.UseSourceId && template.NeedsSourceId(archive.Header) ? context.Message.SourceId.Span : default;
        return template.TryWrite(archive.Header, sourceId, archive.KeyBuffer, out poison, monitor);
    }

    [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder))]
    private async ValueTask AwaitAsync(ValueTask rest, PhysicalContext context, ArchiveContext archive)
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
