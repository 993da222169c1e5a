using System.Text;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Testing;
using Quayside.Messaging.Testing.Xunit;

namespace Quayside_Worker.Tests;

/// <summary>
/// The requirements of at-least-once delivery for every handler: redelivered, concurrent and refused messages, and a shutdown while messages are in flight.
/// </summary>
public sealed class StoreOrderContractTests : HandlerContractTests
{
    protected override ValueTask<HandlerHarness> CreateAsync() => new(new Harness());

    private sealed class Harness : HandlerHarness
    {
        private readonly OrderBook _orders = new();

        public override string Handler => "Orders";

        public override IReadOnlyList<byte[]> RefusedMessages => ["""{"orderId":"0","total":-1}"""u8.ToArray()];

        public override void Configure(IMessageWorkerBuilder worker)
        {
            worker.Services.AddSingleton(_orders);
            worker.AddHandler<OrderPlaced, StoreOrder>(Handler, OrderJson.Default.OrderPlaced);
        }

        public override byte[] CreateMessage(int number) => Encoding.UTF8.GetBytes($$"""{"orderId":"{{number}}","total":{{number}}}""");

        public override Task<IReadOnlyList<string>> ReadEffectsAsync() => Task.FromResult<IReadOnlyList<string>>([.. _orders.OrderIds]);
    }
}
