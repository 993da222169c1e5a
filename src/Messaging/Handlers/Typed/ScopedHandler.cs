using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using Pipeline.Frames;
using Pipeline.Settlements;

namespace Messaging.Handlers.Typed;

/// <summary>Handles each message with a handler in a scope of its own. An error on disposing the scope counts as the handler's.</summary>
internal sealed class ScopedHandler<TMessage, [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] THandler>(ScopedFactory<THandler> handlers)
    : IMessageHandler<TMessage>
    where THandler : class, IMessageHandler<TMessage>
{
    [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder<>))]
    public async ValueTask<Settlement> HandleAsync(TMessage message, MessageInfo info, CancellationToken cancellationToken)
    {
        await using ScopedFactory<THandler>.Lease lease = handlers.Open();
        return await lease.Handler.HandleAsync(message, info, cancellationToken);
    }
}
