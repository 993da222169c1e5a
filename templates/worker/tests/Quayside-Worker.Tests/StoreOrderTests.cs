using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Testing;
using Quayside.Pipeline.Settlements;
using Xunit;

namespace Quayside_Worker.Tests;

public sealed class StoreOrderTests
{
    private readonly OrderBook _orders = new();

    [Fact]
    public async Task Order_IsStored()
    {
        await using TestWorker worker = await StartAsync();

        Settlement settlement = await worker.SendAsync("""{"orderId":"4711","total":12.5}""");

        Assert.Equal(Settlement.Complete, settlement);
        Assert.Equal(["4711"], _orders.OrderIds);
    }

    [Theory]
    [InlineData("""{"orderId":"4711","total":-1}""", "negative-total")]
    [InlineData("""{"total":12.5}""", "wrong-shape")]
    [InlineData("{", "malformed-json")]
    public async Task WrongOrder_IsDeadLettered(string body, string reason)
    {
        await using TestWorker worker = await StartAsync();

        Settlement settlement = await worker.SendAsync(body);

        Assert.Equal(reason, settlement.Reason);
        Assert.Empty(_orders.OrderIds);
    }

    private Task<TestWorker> StartAsync() => TestWorker.StartAsync(
        worker =>
        {
            worker.Services.AddSingleton(_orders);
            worker.AddHandler<OrderPlaced, StoreOrder>("Orders", OrderJson.Default.OrderPlaced);
        },
        [new("Routes:orders:Handler", "Orders")]);
}
