using System.Runtime.CompilerServices;
using Messaging.Recoverability;
using Pipeline.Behaviors;
using Pipeline.Contexts;
using Pipeline.Frames;
using Pipeline.Messages;
using Pipeline.Settlements;

namespace Messaging.Handlers.Typed;

/// <summary>
/// Reads the body and calls the handler. The breaker hears of a handler that returned, and of the two exceptions by which it says
/// that what it calls is down; other exceptions may be the message's own.
/// </summary>
internal sealed class JsonHandlerTerminator<TMessage>(IMessageHandler<TMessage> handler, string handlerName, JsonBody<TMessage> json, string route, CircuitBreaker breaker)
    : ITerminator<PhysicalContext>
{
    private readonly string _undecided = $"The handler {handlerName} returned default(Settlement), which decides nothing.";

    public ValueTask InvokeAsync(PhysicalContext context)
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
            HandlerOutcome.TellBreaker(breaker, exception);
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
    private async ValueTask AwaitAsync(ValueTask<Settlement> handling, PhysicalContext context)
    {
        try
        {
            Conclude(await handling, context);
        }
        catch (Exception exception)
        {
            HandlerOutcome.TellBreaker(breaker, exception);
            throw;
        }
    }

    private void Conclude(in Settlement settlement, PhysicalContext context)
    {
        breaker.Succeeded();
        context.Settlement = settlement.IsDecided ? settlement : new Settlement(SettlementKind.Undecided, Description: _undecided);
    }
}
