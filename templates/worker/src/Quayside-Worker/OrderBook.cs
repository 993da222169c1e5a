using System.Collections.Concurrent;

namespace Quayside_Worker;

/// <summary>A placeholder for your store, such as a table with the order's id as its key.</summary>
public sealed class OrderBook
{
    private readonly ConcurrentDictionary<string, OrderPlaced> _orders = new(StringComparer.Ordinal);

    public IReadOnlyCollection<string> OrderIds => [.. _orders.Keys];

    public void Store(OrderPlaced order) => _orders[order.OrderId] = order;
}
