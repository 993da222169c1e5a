using System.Buffers;
using System.Text.Json;
using Messaging.Handlers;
using Pipeline.Settlements;

namespace OrdersApp;

/// <summary>Books orders up to a quantity.</summary>
internal sealed class BookOrder(BookOptions options, TenantOptions tenants) : IMessageHandler<Order>
{
    public static void WriteSample(IBufferWriter<byte> body, int index, string id, DateTimeOffset date)
    {
        using Utf8JsonWriter writer = new(body);
        JsonSerializer.Serialize(writer, new Order(id, index), OrderJson.Default.Order);
    }

    public ValueTask<Settlement> HandleAsync(Order message, MessageInfo info, CancellationToken cancellationToken) => new(message.Quantity <= options.MaxQuantity
        ? Settlement.Complete
        : Settlement.DeadLetter("too-many", $"{message.Quantity} pieces; tenants are remembered for {tenants.Lifetime}"));
}
