using System.Diagnostics.CodeAnalysis;

namespace Messaging.Handlers.Batches;

/// <summary>Handles each batch with a handler in a scope of its own. An error on disposing the scope counts as the handler's; what the handler settled stays settled.</summary>
internal sealed class ScopedBatchHandler<TMessage, [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] THandler>(ScopedFactory<THandler> handlers)
    : IBatchHandler<TMessage>
    where THandler : class, IBatchHandler<TMessage>
{
    public async ValueTask HandleAsync(MessageBatch<TMessage> batch, CancellationToken cancellationToken)
    {
        await using ScopedFactory<THandler>.Lease lease = handlers.Open();
        await lease.Handler.HandleAsync(batch, cancellationToken);
    }
}
