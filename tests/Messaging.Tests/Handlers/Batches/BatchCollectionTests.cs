using System.Collections.Concurrent;
using Messaging.Tests.Handlers.Typed;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Hosting;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Handlers.Batches;

/// <summary>When the handler gets a batch, and with which messages, over a whole route.</summary>
[Collection(OneThreadCollection.Name)]
public sealed class BatchCollectionTests
{
    [Fact]
    public async Task Collect_MaxMessagesReached_HandlesThemImmediatelyInOrderOfArrival()
    {
        ScriptedBatchHandler handler = new(CompleteAsync);
        await using HandlerRoute route = await StartAsync(handler, "Handlers:Orders:MaxMessages=3", "Handlers:Orders:MaxAge=1h", "Intake:MessageTimeout=2h");

        await PublishAsync(route, "a", "b", "c");
        await HandlerRoute.UntilAsync(() => route.Publisher.Completed == 3);

        handler.Batches.ShouldHaveSingleItem().Split(' ').ShouldBe(["a", "b", "c"], ignoreOrder: true);
    }

    [Fact]
    public async Task Collect_TooFew_WaitsForMaxAgeOfTheFirst()
    {
        ScriptedBatchHandler handler = new(CompleteAsync);
        await using HandlerRoute route = await StartAsync(handler, "Handlers:Orders:MaxAge=5s");
        int timers = route.Time.ArmedTimers;

        await PublishAsync(route, "a");
        await route.Time.WaitForTimersAsync(timers + 1);
        route.Time.Advance(TimeSpan.FromSeconds(3));
        await PublishAsync(route, "b");
        await HandlerRoute.UntilAsync(() => route.Route.InFlight == 2);
        route.Time.Advance(TimeSpan.FromSeconds(1.9));
        route.Time.ArmedTimers.ShouldBe(timers + 1, "The batch still waits.");
        route.Time.Advance(TimeSpan.FromSeconds(0.1));
        await HandlerRoute.UntilAsync(() => handler.Batches.Count > 0);

        // The second message is in flight, but may not be in the batch yet.
        handler.Batches.First().Split(' ').ShouldContain("a");
    }

    [Fact]
    public async Task Collect_AFullBatchAfterAnOpenOne_TheNextWaitsForItsOwnAge()
    {
        ScriptedBatchHandler handler = new(CompleteAsync);
        await using HandlerRoute route = await StartAsync(handler, "Handlers:Orders:MaxMessages=2", "Handlers:Orders:MaxAge=5s");

        await PublishAsync(route, "a");
        await HandlerRoute.UntilAsync(() => route.Route.InFlight == 1);
        route.Time.Advance(TimeSpan.FromSeconds(4));
        await PublishAsync(route, "b");
        await HandlerRoute.UntilAsync(() => route.Publisher.Completed == 2);
        await PublishAsync(route, "c");
        await HandlerRoute.UntilAsync(() => route.Route.InFlight == 1);
        route.Time.Advance(TimeSpan.FromSeconds(4.9));
        await PublishAsync(route, "d");
        await HandlerRoute.UntilAsync(() => route.Publisher.Completed == 4);

        handler.Batches
            .Skip(1)
            .ShouldHaveSingleItem("The timer of the first batch does not end the second.")
            .Split(' ')
            .ShouldBe(["c", "d"], ignoreOrder: true);
    }

    [Fact]
    public async Task Stop_MessagesWait_AreHandledImmediatelyAndTheDrainIsClean()
    {
        ScriptedBatchHandler handler = new(CompleteAsync);
        await using HandlerRoute route = await StartAsync(handler, "Handlers:Orders:MaxAge=1h", "Intake:MessageTimeout=2h");
        await PublishAsync(route, "a", "b");
        await HandlerRoute.UntilAsync(() => route.Route.InFlight == 2);

        Task<bool> draining = route.Route.DrainAsync(CancellationToken.None);

        // A message that enters the batch later starts its own short wait; the hour never passes.
        DateTimeOffset limit = route.Time.GetUtcNow() + TimeSpan.FromMinutes(1);
        while (!draining.IsCompleted && route.Time.GetUtcNow() < limit)
        {
            await route.Time.PassAsync(TimeSpan.FromMilliseconds(100));
        }

        draining.IsCompleted.ShouldBeTrue("The drain waits for MaxAge.");
        (await draining).ShouldBeTrue();
        route.Publisher.Completed.ShouldBe(2);
    }

    [Fact]
    public async Task Stop_MoreInTheChannel_StillComesInBatches()
    {
        TaskCompletionSource released = new(TaskCreationOptions.RunContinuationsAsynchronously);
        ScriptedBatchHandler handler = new(async (batch, _) =>
        {
            await released.Task;
            batch.SettleRest(Settlement.Complete);
        });
        await using HandlerRoute route = await StartAsync(handler, "Intake:Concurrency=4", "Handlers:Orders:MaxMessages=2", "Handlers:Orders:MaxAge=10s");
        await PublishAsync(route, [.. Enumerable.Range(0, 21).Select(i => $"{i}")]);
        await HandlerRoute.UntilAsync(() => handler.Batches.Count == 2);

        Task<bool> draining = route.Route.DrainAsync(CancellationToken.None);
        released.SetResult();

        // While the clock stands, only full batches are handled.
        await HandlerRoute.UntilAsync(() => route.Publisher.Completed == 20);
        await route.PassUntilAsync(() => draining.IsCompleted);

        (await draining).ShouldBeTrue();
        route.Publisher.Completed.ShouldBe(21);
        handler.Batches.Count.ShouldBe(11);
    }

    [Fact]
    public async Task Stop_DrainTimeoutEnds_WaitingMessagesAreKept()
    {
        ScriptedBatchHandler handler = new(async (_, cancellationToken) => await Task.Delay(Timeout.Infinite, cancellationToken));
        HandlerRoute route = await StartAsync(handler, "Handlers:Orders:MaxAge=1h", "Intake:MessageTimeout=2h");
        await PublishAsync(route, "a", "b");
        await HandlerRoute.UntilAsync(() => route.Route.InFlight == 2);

        await route.DisposeAsync();

        route.DeadLetters.Messages.Select(letter => letter.Reason).ShouldBe(["unprocessed-at-stop", "unprocessed-at-stop"]);
    }

    [Fact]
    public async Task Collect_BodiesThatCannotBeRead_AreInNoBatch()
    {
        ScriptedBatchHandler handler = new(CompleteAsync);
        await using HandlerRoute route = await StartAsync(handler, "Handlers:Orders:MaxMessages=2", "Handlers:Orders:MaxAge=1h", "Intake:MessageTimeout=2h");

        await route.PublishAsync("null");
        await route.PublishAsync("{");
        await PublishAsync(route, "a", "b");
        await HandlerRoute.UntilAsync(() => route.Publisher.Completed == 2 && route.DeadLetters.Messages.Count == 2);

        handler.Batches.ShouldHaveSingleItem();
        route.DeadLetters.Messages.Select(letter => letter.Reason).ShouldBe(["malformed-json", "wrong-shape"], ignoreOrder: true);
    }

    [Fact]
    public async Task Handle_Batch_HasTheInfoOfEachMessage()
    {
        ConcurrentQueue<string> seen = new();
        ScriptedBatchHandler handler = new((batch, _) =>
        {
            for (int i = 0; i < batch.Count; i++)
            {
                seen.Enqueue($"{batch[i].Id}={batch.InfoOf(i).GetSourceIdString()} {batch.InfoOf(i).Route} {batch.InfoOf(i).DeliveryCount}");
            }

            return CompleteAsync(batch, default);
        });
        await using HandlerRoute route = await StartAsync(handler, "Handlers:Orders:MaxMessages=2");

        await route.PublishAsync(BodyOf("a"), "id-a");
        await route.PublishAsync(BodyOf("b"), "id-b");
        await route.SettleAllAsync();

        seen.ShouldBe(["a=id-a orders 1", "b=id-b orders 1"], ignoreOrder: true);
    }

    internal static string BodyOf(string id) => $$"""{"id":"{{id}}"}""";

    internal static async Task PublishAsync(HandlerRoute route, params string[] ids)
    {
        foreach (string id in ids)
        {
            await route.PublishAsync(BodyOf(id));
        }
    }

    internal static ValueTask CompleteAsync(MessageBatch<Order> batch, CancellationToken cancellationToken)
    {
        batch.SettleRest(Settlement.Complete);
        return default;
    }

    internal static Task<HandlerRoute> StartAsync(ScriptedBatchHandler handler, params string[] settings) =>
        HandlerRoute.StartAsync(
            worker =>
            {
                worker.Services.AddSingleton(handler);
                worker.AddBatchHandler<Order, ScriptedBatchHandler>("Orders", TestJson.Default.Order);
            },
            ["Handlers:Orders:MaxMessages=10", .. settings]);
}
