using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Hosting;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Handlers.Example;

public sealed class OrdersWorkerTests
{
    [Fact]
    public async Task StoreOrder_NegativeTotal_IsDeadLettered()
    {
        // page: begin
        await using TestWorker worker = await TestWorker.StartAsync(
            builder =>
            {
                builder.Services.AddSingleton<OrderBook>();
                builder.AddHandler<OrderPlaced, StoreOrder>("Orders", OrderJson.Default.OrderPlaced);
            },
            [new("Routes:orders:Handler", "Orders")]);

        Settlement settlement = await worker.SendAsync(new OrderPlaced("4711", -1));
        // page: end

        settlement.Reason.ShouldBe("negative-total");
    }
}
