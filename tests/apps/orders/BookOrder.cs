using System.Diagnostics.Metrics;
using Quayside.Messaging.Handlers;
using Quayside.Pipeline.Settlements;

namespace OrdersApp;

/// <summary>Books orders up to a quantity.</summary>
internal sealed class BookOrder(BookOptions options, TenantOptions tenants) : IMessageHandler<Order>
{
    private static readonly Meter Meter = new("OrdersApp");
    private static readonly Counter<long> Booked = Meter.CreateCounter<long>("orders.booked", "{order}", "Orders booked");

    public ValueTask<Settlement> HandleAsync(Order message, MessageInfo info, CancellationToken cancellationToken)
    {
        if (message.Quantity > options.MaxQuantity)
        {
            return new(Settlement.DeadLetter("too-many", $"{message.Quantity} pieces; tenants are remembered for {tenants.Lifetime}"));
        }

        Booked.Add(1);
        return new(Settlement.Complete);
    }
}
