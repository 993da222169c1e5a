using Quayside.Messaging.Handlers;
using Quayside.Pipeline.Settlements;

namespace Quayside_Worker;

/// <summary>Stores orders. A message may be redelivered after it was handled, so storing an order twice must have the same effect as storing it once.</summary>
public sealed class StoreOrder(OrderBook orders) : IMessageHandler<OrderPlaced>
{
    public ValueTask<Settlement> HandleAsync(OrderPlaced message, MessageInfo info, CancellationToken cancellationToken)
    {
        if (message.Total < 0)
        {
            return ValueTask.FromResult(Settlement.DeadLetter("negative-total", $"Order {message.OrderId} has the total {message.Total}."));
        }

        orders.Store(message);
        return ValueTask.FromResult(Settlement.Complete);
    }
}
