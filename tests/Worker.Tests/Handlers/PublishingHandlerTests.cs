using System.Threading.Channels;
using Messaging.Handlers;
using Messaging.Sources.Channels;
using Microsoft.Extensions.DependencyInjection;
using Pipeline.Settlements;
using Worker.Tests.Handlers.Typed;

namespace Worker.Tests.Handlers;

/// <summary>The publisher that is injected into a handler.</summary>
public sealed class PublishingHandlerTests
{
    [Fact]
    public async Task Publish_ByAHandler_WithAndWithoutAKey()
    {
        await using HandlerRoute route = await HandlerRoute.StartAsync(worker => worker.AddHandler<Order, Relay>("Orders", TestJson.Default.Order));

        await route.PublishAsync("""{"id":"start"}""");
        await HandlerRoute.UntilAsync(() => route.Publisher.Published == 3);
        await route.SettleAllAsync();

        route.Publisher.Completed.ShouldBe(3);
    }

    [Fact]
    public async Task Publish_AfterTheStop_IsRefused()
    {
        HandlerRoute route = await HandlerRoute.StartAsync(worker => worker.AddHandler<Order, Relay>("Orders", TestJson.Default.Order));
        ChannelPublisher publisher = route.Publisher;
        await route.DisposeAsync();

        await Should.ThrowAsync<ChannelClosedException>(async () => await publisher.PublishAsync("{}"u8.ToArray(), cancellationToken: TestContext.Current.CancellationToken));
    }

    private sealed class Relay(IMessagePublisher publisher, [FromKeyedServices("orders")] IMessagePublisher orders) : IMessageHandler<Order>
    {
        public async ValueTask<Settlement> HandleAsync(Order message, MessageInfo info, CancellationToken cancellationToken)
        {
            if (message.Id == "start")
            {
                await publisher.PublishAsync("""{"id":"a"}"""u8.ToArray(), cancellationToken: cancellationToken);
                await orders.PublishAsync("""{"id":"b"}"""u8.ToArray(), cancellationToken: cancellationToken);
            }

            return Settlement.Complete;
        }
    }
}
