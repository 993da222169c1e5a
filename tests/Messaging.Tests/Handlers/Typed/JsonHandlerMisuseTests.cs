using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Hosting;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Handlers.Typed;

/// <summary>Handlers that keep a view after its message.</summary>
[Collection(OneThreadCollection.Name)]
public sealed class JsonHandlerMisuseTests
{
    private const string Body = """{"id":"a"}""";

    [Fact]
    public async Task Handle_KeepsTheInfo_ReadingItAfterTheEndThrows()
    {
        MessageInfo kept = default;
        ScriptedHandler handler = new((_, info, _) =>
        {
            kept = info;
            return new(Settlement.Complete);
        });
        await using HandlerRoute route = await StartAsync(handler);

        await route.PublishAsync(Body);
        await route.SettleAllAsync();
        AssertEnded(kept);

        // The channel reuses the object for the next message, which the old view must not show.
        MessageInfo old = kept;
        await route.PublishAsync("""{"id":"b"}""");
        await HandlerRoute.UntilAsync(() => handler.Calls.Count == 2);
        AssertEnded(old);

        static void AssertEnded(MessageInfo info)
        {
            info.Route.ShouldBe("orders");
            Should.Throw<InvalidOperationException>(() => info.Body.Length).Message.ShouldStartWith("The message was settled");
            Should.Throw<InvalidOperationException>(() => info.SourceId.Length);
            Should.Throw<InvalidOperationException>(() => info.DeliveryCount);
            Should.Throw<InvalidOperationException>(() => info.EnqueuedAt);
        }
    }

    [Fact]
    public void Info_OfNothing_Throws()
    {
        MessageInfo none = default;

        none.Route.ShouldBeEmpty();
        Should.Throw<InvalidOperationException>(() => none.Body.Length);
    }

    internal static Task<HandlerRoute> StartAsync(ScriptedHandler handler, params string[] settings) =>
        HandlerRoute.StartAsync(
            worker =>
            {
                worker.Services.AddSingleton(handler);
                worker.AddHandler<Order, ScriptedHandler>("Orders", TestJson.Default.Order);
            },
            settings);
}
