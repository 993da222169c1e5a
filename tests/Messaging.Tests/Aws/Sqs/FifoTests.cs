using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Aws.Sqs;

[Collection(OneThreadCollection.Name)]
public sealed class FifoTests
{
    [Fact]
    public async Task Receive_SeveralGroups_OneOfEachInFlightInOrder()
    {
        await using SqsRun run = SqsRun.Create(isFifo: true);
        await run.BeginAsync();
        run.Queue.Deliver(
            FakeMessage.New("a1", "a"), FakeMessage.New("b1", "b"), FakeMessage.New("a2", "a"), FakeMessage.New("c1", "c"), FakeMessage.New("a3", "a"),
            FakeMessage.New("b2", "b"));

        Delivery[] heads = await run.TakeAsync(3);
        Names(heads).ShouldBe(["a1", "b1", "c1"]);
        run.Intake.Accepted.ShouldBe(3, "One of each group.");

        await heads[0].SettleAsync(Settlement.Complete);
        Delivery a2 = await run.Intake.NextAsync();
        Names(a2).ShouldBe(["a2"]);
        await heads[1].SettleAsync(Settlement.Complete);
        Delivery b2 = await run.Intake.NextAsync();
        Names(b2).ShouldBe(["b2"]);
        await a2.SettleAsync(Settlement.Complete);
        Delivery a3 = await run.Intake.NextAsync();
        Names(a3).ShouldBe(["a3"]);

        foreach (Delivery last in (Delivery[])[a3, b2, heads[2]])
        {
            await last.SettleAsync(Settlement.Complete);
        }

        await SqsRun.WaitAsync(() => run.Queue.Deletes.SelectMany(call => call.Handles).Count() == 6, "Not all were deleted.");
        await run.EndAsync();
    }

    [Fact]
    public async Task Abandon_InAGroup_ReturnsTheRestOfItAndNothingElse()
    {
        await using SqsRun run = SqsRun.Create(isFifo: true);
        await run.BeginAsync();
        run.Queue.Deliver(
            FakeMessage.New("a1", "a"), FakeMessage.New("a2", "a"), FakeMessage.New("b1", "b"), FakeMessage.New("a3", "a"), FakeMessage.New("b2", "b"));
        Delivery[] heads = await run.TakeAsync(2);

        await heads[0].SettleAsync(Settlement.Abandon(TimeSpan.FromSeconds(9)));
        await run.PassUntilAsync(() => run.Queue.VisibilityChanges.SelectMany(call => call.Handles).Count() == 3, "The rest of the group was kept.");

        run.Queue.VisibilityChanges.SelectMany(call => call.Handles).ShouldBe(["handle-a1", "handle-a2", "handle-a3"], ignoreOrder: true);
        run.Queue.VisibilityChanges.SelectMany(call => call.Seconds).ShouldAllBe(seconds => seconds == 9);
        await heads[1].SettleAsync(Settlement.Complete);
        Delivery b2 = await run.Intake.NextAsync();
        Names(b2).ShouldBe(["b2"]);
        await b2.SettleAsync(Settlement.Complete);
        await SqsRun.WaitAsync(() => run.Queue.Deletes.SelectMany(call => call.Handles).Count() == 2, "The other group did not end.");
        await run.EndAsync();
        run.Intake.Accepted.ShouldBe(3);
    }

    [Fact]
    public async Task Abandon_InAGroup_SlotsOfTheRestAreFreeAgain()
    {
        await using SqsRun run = SqsRun.Create(isFifo: true);
        await run.BeginAsync();
        run.Queue.Deliver([.. Enumerable.Range(0, 10).Select(number => FakeMessage.New($"{number}", "g"))]);
        Delivery head = await run.Intake.NextAsync();

        await head.SettleAsync(Settlement.Abandon(TimeSpan.FromSeconds(1)));
        await run.PassUntilAsync(() => run.Intake.Released >= 9, "The slots of the rest were kept.");

        await run.EndAsync();
    }

    [Fact]
    public async Task Stop_InTheMiddleOfAGroup_ReturnsTheRestImmediately()
    {
        await using SqsRun run = SqsRun.Create(isFifo: true);
        await run.BeginAsync();
        run.Queue.Deliver(FakeMessage.New("a1", "a"), FakeMessage.New("a2", "a"), FakeMessage.New("a3", "a"));
        Delivery head = await run.Intake.NextAsync();
        await run.StopAsync();

        await head.SettleAsync(Settlement.Complete);
        await run.PassUntilAsync(() => run.Queue.VisibilityChanges.SelectMany(call => call.Handles).Count() == 2, "The rest of the group was kept.");

        run.Queue.VisibilityChanges.SelectMany(call => call.Handles).ShouldBe(["handle-a2", "handle-a3"], ignoreOrder: true);
        run.Queue.VisibilityChanges.SelectMany(call => call.Seconds).ShouldAllBe(seconds => seconds == 0);
        await SqsRun.WaitAsync(() => run.Queue.Deletes.Count == 1, "The stored message was not deleted.");
        run.Queue.Deletes[0].Handles.ShouldBe(["handle-a1"]);
        run.Intake.Accepted.ShouldBe(1);
        await run.EndAsync();
    }

    [Fact]
    public async Task DeadLetter_InAGroup_TheGroupContinues()
    {
        await using SqsRun run = SqsRun.Create(isFifo: true);
        await run.BeginAsync();
        run.Queue.Deliver(FakeMessage.New("a1", "a"), FakeMessage.New("a2", "a"));

        await (await run.Intake.NextAsync()).SettleAsync(Settlement.DeadLetter("malformed-json", "Broken."));

        Delivery a2 = await run.Intake.NextAsync();
        Names(a2).ShouldBe(["a2"]);
        await a2.SettleAsync(Settlement.Complete);
        await SqsRun.WaitAsync(() => run.Queue.Deletes.SelectMany(call => call.Handles).Count() == 2, "Not deleted.");
        run.Queue.Sends.Count.ShouldBe(1);
        await run.EndAsync();
    }

    [Fact]
    public async Task DeadLetter_InAGroupCannotBeSent_ReturnsTheRestToo()
    {
        // The rest of MaxHoldTime after two pauses.
        const int Late = (15 * 60) - 2;
        await using SqsRun run = SqsRun.Create(isFifo: true);
        run.Queue.Script = call => call.Operation == "SendMessage" ? QueueAnswer.InternalError : null;
        await run.BeginAsync();
        run.Queue.Deliver(FakeMessage.New("a1", "a"), FakeMessage.New("a2", "a"));

        await run.PassWhileSettlingAsync(await run.Intake.NextAsync(), Settlement.DeadLetter("malformed-json", "Broken."));

        await run.PassUntilAsync(() => run.Queue.VisibilityChanges.SelectMany(call => call.Handles).Count() == 2, "The group was kept.");
        run.Queue.VisibilityChanges
            .SelectMany(call => call.Seconds)
            .ShouldAllBe(seconds => seconds == Late, "A delivery counts for the rest of the group too.");
        run.Queue.Deletes.ShouldBeEmpty();
        run.Intake.Accepted.ShouldBe(1);
        await run.EndAsync();
    }

    [Fact]
    public async Task Redelivery_OfAMessageInFlight_TheRestOfItsGroupIsReturned()
    {
        await using SqsRun run = SqsRun.Create(isFifo: true);
        FakeMessage first = FakeMessage.New("a1", "a");
        Delivery[] inWork = await run.BeginWithAsync(first);

        run.Queue.Deliver(first.Again("handle-again"), FakeMessage.New("a2", "a"), FakeMessage.New("b1", "b"));

        Delivery other = await run.Intake.NextAsync();
        Names(other).ShouldBe(["b1"], "a2 must not overtake a1.");
        await run.PassUntilAsync(() => run.Queue.VisibilityChanges.Count == 1, "a2 was kept.");
        run.Queue.VisibilityChanges[0].Handles.ShouldBe(["handle-a2"]);
        await inWork[0].SettleAsync(Settlement.Complete);
        await other.SettleAsync(Settlement.Complete);
        await SqsRun.WaitAsync(() => run.Queue.Deletes.SelectMany(call => call.Handles).Count() == 2, "Not deleted.");
        run.Queue.Deletes.SelectMany(call => call.Handles).ShouldContain("handle-again");
        await run.EndAsync();
        run.Intake.Accepted.ShouldBe(2);
    }

    private static string[] Names(params Delivery[] deliveries) =>
        [.. deliveries.Select(delivery => System.Text.Encoding.UTF8.GetString(delivery.Body).Trim('"'))];
}
