using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Contexts;
using Quayside.Pipeline.Frames;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Handlers.Typed;

/// <summary>Reads the body and calls the handler.</summary>
internal sealed class JsonHandlerTerminator<TMessage>(
    IMessageHandler<TMessage> handler, JsonBody<TMessage> json, string route, HandlerReports reports, bool stores = false)
    : ITerminator<MessageContext>
{
    private readonly string _undecided =
        $"The handler {reports.Handler} returned default(Settlement), which decides nothing: return Complete, Abandon, DeadLetter, Transient or Refused.";

    public ValueTask InvokeAsync(MessageContext context)
    {
        ReceivedMessage received = context.Message;
        if (!json.TryRead(received.Body.Span, out TMessage? message, out Settlement refusal))
        {
            context.Settlement = refusal;
            return default;
        }

        ValueTask<Settlement> handling;
        try
        {
            handling = handler.HandleAsync(message, new MessageInfo(route, received), context.CancellationToken);
        }
        catch (Exception exception)
        {
            reports.Threw(exception, context.Message, context.CancellationToken);
            throw;
        }

        if (!handling.IsCompletedSuccessfully)
        {
            return AwaitAsync(handling, context);
        }

        Conclude(handling.Result, context);
        return default;
    }

    [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder))]
    private async ValueTask AwaitAsync(ValueTask<Settlement> handling, MessageContext context)
    {
        Settlement settlement;
        try
        {
            settlement = await handling;
        }
        catch (Exception exception)
        {
            reports.Threw(exception, context.Message, context.CancellationToken);
            throw;
        }

        Conclude(settlement, context);
    }

    private void Conclude(in Settlement settlement, MessageContext context)
    {
        // Where the handler stores, its store reports the sink's outcomes; of the handler's own only faults say anything about the route.
        if (!stores || settlement is { Fault: not SettlementFault.None, IsReported: false })
        {
            reports.Returned(settlement);
        }

        context.Settlement = settlement.IsDecided ? settlement : Settlement.Undecided(_undecided);
    }
}

/// <summary>Handles each message with a handler in a scope of its own. An error on disposing the scope counts as the handler's.</summary>
internal sealed class ScopedHandler<TMessage,
    [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] THandler>(ScopedFactory<THandler> handlers)
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
