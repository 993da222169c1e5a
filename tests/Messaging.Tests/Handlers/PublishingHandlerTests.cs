using System.Threading.Channels;
using Messaging.Tests.Handlers.Typed;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Sources.Channels;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Handlers;

/// <summary>The publisher that is injected into a handler.</summary>
[Collection(OneThreadCollection.Name)]
public sealed class PublishingHandlerTests
{
    [Theory]
    [InlineData("without-key")]
    [InlineData("with-key")]
    [InlineData("object")]
    [InlineData("properties")]
    [InlineData("object-with-properties")]
    public async Task Publish_ByAHandler_WithAndWithoutAKey(string publisher)
    {
        await using HandlerRoute route = await HandlerRoute.StartAsync(worker => worker.AddHandler<Order, Relay>("Orders", TestJson.Default.Order));

        await route.PublishAsync($$"""{"id":"{{publisher}}"}""");
        await HandlerRoute.UntilAsync(() => route.Publisher.Published == 2);
        await route.SettleAllAsync();

        route.Publisher.Completed.ShouldBe(1);
        route.DeadLetters.Messages.ShouldHaveSingleItem().Reason.ShouldBe($"sent-{publisher}");
    }

    [Fact]
    public async Task Publish_AfterTheStop_IsRefused()
    {
        HandlerRoute route = await HandlerRoute.StartAsync(worker => worker.AddHandler<Order, Relay>("Orders", TestJson.Default.Order));
        ChannelPublisher publisher = route.Publisher;
        await route.DisposeAsync();

        await Should.ThrowAsync<ChannelClosedException>(
            async () => await publisher.PublishAsync("{}"u8.ToArray(), cancellationToken: TestContext.Current.CancellationToken));
    }

    private sealed class Relay(IMessagePublisher publisher, [FromKeyedServices("orders")] IMessagePublisher orders) : IMessageHandler<Order>
    {
        public async ValueTask<Settlement> HandleAsync(Order message, MessageInfo info, CancellationToken cancellationToken)
        {
            switch (message.Id)
            {
                case "without-key":
                    await publisher.PublishAsync("""{"id":"sent-without-key"}"""u8.ToArray(), cancellationToken: cancellationToken);
                    return Settlement.Complete;
                case "with-key":
                    await orders.PublishAsync("""{"id":"sent-with-key"}"""u8.ToArray(), cancellationToken: cancellationToken);
                    return Settlement.Complete;
                case "object":
                    await publisher.PublishAsync(message with { Id = "sent-object" }, TestJson.Default.Order, cancellationToken: cancellationToken);
                    return Settlement.Complete;
                case "properties":
                    await publisher.PublishAsync("""{"id":"read"}"""u8.ToArray(), "4711", Properties("sent-properties"), cancellationToken);
                    return Settlement.Complete;
                case "object-with-properties":
                    await publisher.PublishAsync(
                        message with { Id = "read" }, TestJson.Default.Order, "4711", Properties("sent-object-with-properties"), cancellationToken);
                    return Settlement.Complete;
                case "read":
                    return Settlement.DeadLetter(
                        info is { Group: "g-7", DeduplicationId: "d-1", Attributes.Count: 1 } && info.GetSourceIdString() == "4711"
                            ? info.FindAttribute("reason")!
                            : "properties-lost",
                        "What arrived.");
                default:
                    return Settlement.DeadLetter(message.Id, "What arrived.");
            }
        }

        private static MessageProperties Properties(string reason) => new() { Attributes = [new("reason", reason)], Group = "g-7", DeduplicationId = "d-1" };
    }
}
