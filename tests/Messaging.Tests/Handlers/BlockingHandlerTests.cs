using Messaging.Tests.Handlers.Batches;
using Messaging.Tests.Handlers.Typed;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Handlers;

/// <summary>Handlers that block their thread: they need others, and so do not run on <see cref="OneThread"/>.</summary>
public sealed class BlockingHandlerTests
{
    [Fact]
    public async Task Handle_AMessageBlocksItsThread_OthersContinue()
    {
        using ManualResetEventSlim released = new();
        ScriptedHandler handler = new((order, _, _) =>
        {
            if (order.Id == "a")
            {
                released.Wait(TimeSpan.FromSeconds(30), TestContext.Current.CancellationToken);
            }

            return new(Settlement.Complete);
        });
        await using HandlerRoute route = await JsonHandlerMisuseTests.StartAsync(handler);

        await route.PublishAsync("""{"id":"a"}""");
        await HandlerRoute.UntilAsync(() => handler.Calls.Count == 1);
        for (int i = 0; i < 100; i++)
        {
            await route.PublishAsync("""{"id":"b"}""");
        }

        await HandlerRoute.UntilAsync(() => route.Publisher.Completed == 100);
        released.Set();
        await route.SettleAllAsync();
        route.Publisher.Completed.ShouldBe(101);
    }

    [Fact]
    public async Task Handle_ABatchBlocksItsThread_OthersContinue()
    {
        using ManualResetEventSlim released = new();
        ScriptedBatchHandler handler = new((batch, _) =>
        {
            if (batch[0].Id == "slow")
            {
                released.Wait(TimeSpan.FromSeconds(30), TestContext.Current.CancellationToken);
            }

            return BatchCollectionTests.CompleteAsync(batch, default);
        });
        await using HandlerRoute route = await BatchCollectionTests.StartAsync(handler, "Handlers:Orders:MaxMessages=1");

        await BatchCollectionTests.PublishAsync(route, "slow");
        await HandlerRoute.UntilAsync(() => handler.Batches.Count == 1);
        await BatchCollectionTests.PublishAsync(route, [.. Enumerable.Range(0, 50).Select(i => $"{i}")]);
        await HandlerRoute.UntilAsync(() => route.Publisher.Completed == 50);

        released.Set();
        await route.SettleAllAsync();
        route.Publisher.Completed.ShouldBe(51);
    }
}
