using System.Collections.Concurrent;
using Quayside.Messaging.Aws.Sqs;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Aws.Sqs;

[Collection(OneThreadCollection.Name)]
public sealed class HeartbeatTests
{
    private const int RenewFailed = 3204;
    private const int NoLongerRenewed = 3205;

    private static readonly TimeSpan Half = TimeSpan.FromSeconds(15);
    private static readonly TimeSpan Tick = TimeSpan.FromSeconds(1);

    [Fact]
    public async Task Renew_MessagesInFlight_AtHalfTheTimeoutInBatchesOfTen()
    {
        await using SqsRun run = SqsRun.Create(concurrency: 30);
        Delivery[] earlier = await run.BeginWithAsync(FakeMessage.New("earlier"));
        run.Time.Advance(Tick);
        FakeMessage[] messages = FakeMessage.Many(25);
        run.Queue.DeliverAll(messages);
        Delivery[] deliveries = await run.TakeAsync(25);

        run.Time.Advance(Half - Tick);
        await SqsRun.WaitAsync(() => run.Queue.VisibilityChanges.Count > 0, "The first message was not renewed.");
        run.Queue.VisibilityChanges.ShouldHaveSingleItem("The others are due a second later.").Handles.ShouldBe(["handle-earlier"]);

        run.Time.Advance(Tick);
        await SqsRun.WaitAsync(() => run.Queue.VisibilityChanges.Count == 4, "Not all were renewed.");
        QueueCall[] calls = [.. run.Queue.VisibilityChanges.Skip(1)];
        calls.Select(call => call.Handles.Length).ShouldBe([10, 10, 5], ignoreOrder: true);
        calls.SelectMany(call => call.Handles).ShouldBe(messages.Select(message => message.Handle), ignoreOrder: true);
        calls.SelectMany(call => call.Seconds).ShouldAllBe(seconds => seconds == 30);
        await CompleteAsync([.. earlier, .. deliveries]);
        await run.EndAsync();
    }

    [Fact]
    public async Task Renew_Succeeded_NextOneHalfATimeoutLater()
    {
        await using SqsRun run = SqsRun.Create();
        Delivery[] first = await run.BeginWithAsync(FakeMessage.New("a"));
        run.Time.Advance(Tick);
        run.Queue.Deliver(FakeMessage.New("b"));
        Delivery[] second = await run.TakeAsync(1);

        // Each is renewed alone: what is due on the same tick shares a call.
        for (int renewals = 1; renewals <= 4; renewals++)
        {
            run.Time.Advance(Half - Tick);
            await SqsRun.WaitAsync(() => run.Queue.VisibilityChanges.Count == (2 * renewals) - 1, "The first message was not renewed.");
            run.Time.Advance(Tick);
            await SqsRun.WaitAsync(() => run.Queue.VisibilityChanges.Count == 2 * renewals, "The second message was not renewed.");
        }

        run.Queue.VisibilityChanges
            .Select(call => string.Join(' ', call.Handles))
            .ShouldBe(Enumerable.Repeat<string[]>(["handle-a", "handle-b"], 4).SelectMany(pair => pair));
        await CompleteAsync([.. first, .. second]);
        await run.EndAsync();
    }

    [Theory]
    [InlineData("InternalError")]
    [InlineData("AccessDenied")]
    [InlineData("lost")]
    [InlineData("malformed")]
    [InlineData("unanswered")]
    [InlineData("entry")]
    public async Task Renew_Fails_IsRetriedOnTheNextTicks(string failure)
    {
        await using SqsRun run = SqsRun.Create();
        DateTimeOffset begun = run.Time.GetUtcNow();
        ConcurrentQueue<double> seconds = new();
        run.Queue.Script = call =>
        {
            if (call.Operation != "ChangeMessageVisibilityBatch")
            {
                return null;
            }

            seconds.Enqueue((run.Time.GetUtcNow() - begun).TotalSeconds);
            return seconds.Count > 3 ? null : failure switch
            {
                "InternalError" => QueueAnswer.InternalError,
                "AccessDenied" => QueueAnswer.Error(403, failure),
                "lost" => QueueAnswer.Lost,
                "malformed" => new QueueAnswer(200, "<html>"),
                "unanswered" => new QueueAnswer(200, "{}"),
                _ => QueueAnswer.Failing(call, "InternalError", senderFault: false, _ => true),
            };
        };
        Delivery[] deliveries = await run.BeginWithAsync(FakeMessage.New("a"));

        run.Time.Advance(Half);
        for (int calls = 1; calls <= 4; calls++)
        {
            await SqsRun.WaitAsync(() => seconds.Count == calls, "The renewal was not retried.");
            run.Time.Advance(Tick);
        }

        // The fourth succeeded: the next is due half a timeout after it.
        run.Time.Advance(Half - Tick);
        await SqsRun.WaitAsync(() => seconds.Count == 5, "The renewals ended.");
        seconds.ShouldBe([15, 16, 17, 18, 33], ignoreOrder: false, "One attempt per tick.");
        run.HasLogged(RenewFailed).ShouldBeTrue();
        await CompleteAsync(deliveries);
        await SqsRun.WaitAsync(() => run.Queue.Deletes.Count == 1, "The message did not end as always.");
        await run.EndAsync();
    }

    [Fact]
    public async Task Renew_OneCallFails_OthersAreStillSent()
    {
        const int Messages = 400;
        await using SqsRun run = SqsRun.Create(concurrency: Messages);
        run.Queue.Script = call => call.Operation == "ChangeMessageVisibilityBatch" && call.Handles.Contains("handle-0") ? QueueAnswer.InternalError : null;
        Delivery[] deliveries = await run.BeginWithAsync(FakeMessage.Many(Messages));

        run.Time.Advance(Half);

        await SqsRun.WaitAsync(() => run.Queue.VisibilityChanges.Count == Messages / 10, "A failing call held up the others.");
        run.Queue.VisibilityChanges.SelectMany(call => call.Handles).Distinct().Count().ShouldBe(Messages);
        await CompleteAsync(deliveries);
        await run.EndAsync();
    }

    [Fact]
    public async Task Renew_OneCallHangs_OthersAreStillSent()
    {
        await using SqsRun run = SqsRun.Create(concurrency: 40);
        run.Queue.Script = call => call.Operation == "ChangeMessageVisibilityBatch" && call.Handles.Contains("handle-0") ? QueueAnswer.Hang : null;
        Delivery[] deliveries = await run.BeginWithAsync(FakeMessage.Many(40));

        run.Time.Advance(Half);

        await SqsRun.WaitAsync(
            () => run.Queue.VisibilityChanges.SelectMany(call => call.Handles).Distinct().Count() == 40, "A hanging call held up the others.");
        await CompleteAsync(deliveries);
        await run.EndAsync();
    }

    [Fact]
    public async Task Renew_HandleRefused_MessageIsNoLongerRenewedButCompletes()
    {
        await using SqsRun run = SqsRun.Create();
        run.Queue.Script = call => call.Operation == "ChangeMessageVisibilityBatch"
            ? QueueAnswer.Failing(call, "ReceiptHandleIsInvalid", senderFault: true, handle => handle == "handle-0")
            : null;
        Delivery[] deliveries = await run.BeginWithAsync(FakeMessage.Many(2));

        run.Time.Advance(Half);
        await SqsRun.WaitAsync(() => run.HasLogged(RenewFailed), "The failed renewal was not logged.");
        run.Time.Advance(Half);
        await SqsRun.WaitAsync(() => run.Queue.VisibilityChanges.Count == 2, "The other message was not renewed.");

        run.Queue.VisibilityChanges[1].Handles.ShouldBe(["handle-1"]);
        await CompleteAsync(deliveries);
        await SqsRun.WaitAsync(() => run.Queue.Deletes.SelectMany(call => call.Handles).Count() == 2, "The lost message was not finished.");
        await run.EndAsync();
    }

    [Fact]
    public async Task Renew_LostMessageIsRedelivered_NewHandleIsRenewed()
    {
        await using SqsRun run = SqsRun.Create();
        run.Queue.Script = call => call.Operation == "ChangeMessageVisibilityBatch"
            ? QueueAnswer.Failing(call, "ReceiptHandleIsInvalid", senderFault: true, handle => handle == "handle-a")
            : null;
        FakeMessage message = FakeMessage.New("a");
        Delivery[] deliveries = await run.BeginWithAsync(message);
        run.Time.Advance(Half);
        await SqsRun.WaitAsync(() => run.HasLogged(RenewFailed), "The failed renewal was not logged.");

        run.Queue.Deliver(message.Again("handle-new"));
        await SqsRun.WaitAsync(() => run.Queue.Receives.Count == 3, "The redelivery was not received.");
        run.Time.Advance(Half);

        await SqsRun.WaitAsync(() => run.Queue.VisibilityChanges.Count == 2, "The new handle was not renewed.");
        run.Queue.VisibilityChanges[1].Handles.ShouldBe(["handle-new"]);
        await CompleteAsync(deliveries);
        await run.EndAsync();
    }

    [Fact]
    public async Task Renew_MessageInFlightAfterMaxHoldTime_GoesOnForMessageTimeoutAndItsEndIsLogged()
    {
        // MaxHoldTime and Intake:MessageTimeout are 150 s together.
        const int Renewals = 9;
        await using SqsRun run = SqsRun.Create(options: ShortHold());
        Delivery[] deliveries = await run.BeginWithAsync(FakeMessage.New("a"));

        for (int renewals = 1; renewals <= Renewals; renewals++)
        {
            await run.PassAsync(Half);
            await SqsRun.WaitAsync(() => run.Queue.VisibilityChanges.Count == renewals, "A message that is being processed was not renewed.");
        }

        run.HasLogged(NoLongerRenewed).ShouldBeFalse();
        await run.PassAsync(Half);
        await SqsRun.WaitAsync(() => run.HasLogged(NoLongerRenewed), "The end of the renewals was not logged.");
        run.Queue.Deliver(FakeMessage.New("b"));
        Delivery[] later = await run.TakeAsync(1);
        await run.PassAsync(Half);
        await SqsRun.WaitAsync(() => run.Queue.VisibilityChanges.Count > Renewals, "The next message was not renewed.");
        run.Queue.VisibilityChanges[Renewals].Handles.ShouldBe(["handle-b"]);
        await CompleteAsync([.. deliveries, .. later]);
        await SqsRun.WaitAsync(() => run.Queue.Deletes.SelectMany(call => call.Handles).Count() == 2, "The messages were not deleted.");
        await run.EndAsync();
    }

    [Fact]
    public async Task GetHoldTime_HalfOfTheDeliveriesUsed_IsLongerThanMaxHoldTimeAndLogged()
    {
        await using SqsRun run = SqsRun.Create(options: ShortHold());
        Delivery[] deliveries = await run.BeginWithAsync(new FakeMessage("a", "h-a") { ReceiveCount = 4 }, new FakeMessage("b", "h-b") { ReceiveCount = 5 });

        run.Time.Advance(ShortHold().MaxHoldTime);

        deliveries[0].Message.TryHold().ShouldBe(TimeSpan.Zero);
        run.Log.Entries.ShouldNotContain(entry => entry.Id.Id == 3214);
        deliveries[1].Message.TryHold().ShouldBeGreaterThan(TimeSpan.FromHours(11));
        run.Log.Entries.ShouldContain(entry => entry.Id.Id == 3214);
        await CompleteAsync(deliveries);
        await run.EndAsync();
    }

    [Fact]
    public async Task Renew_RestOfAGroupAfterMaxHoldTime_GoesOnForTheTimeoutsOfTenMessages()
    {
        await using SqsRun run = SqsRun.Create(isFifo: true, options: ShortHold("orders.fifo"));
        await run.BeginAsync();
        run.Queue.Deliver(FakeMessage.New("1", "g"), FakeMessage.New("2", "g"));
        Delivery first = await run.Intake.NextAsync();

        // 15 minutes: the tenth message of a group may begin that late.
        for (int renewals = 1; renewals <= 60; renewals++)
        {
            run.Time.Advance(Half);
            await SqsRun.WaitAsync(() => run.Queue.VisibilityChanges.Count == renewals, "The group was not renewed.");
        }

        run.Queue.VisibilityChanges.ShouldAllBe(call => call.Handles.Length == 2);
        run.Intake.Script = _ => Settlement.Complete;
        await first.SettleAsync(Settlement.Complete);
        await SqsRun.WaitAsync(() => run.Queue.Deletes.SelectMany(call => call.Handles).Count() == 2, "The group did not end.");
        await run.EndAsync();
    }

    [Fact]
    public async Task Renew_NearTheEndOfTwelveHours_AsksForNoMoreThanIsLeft()
    {
        TimeSpan visibility = TimeSpan.FromHours(5);
        await using SqsRun run = SqsRun.Create(options: new SqsSourceOptions
        {
            Queue = "orders",
            AcknowledgeDelay = TimeSpan.Zero,
            VisibilityTimeout = visibility,
            MaxHoldTime = TimeSpan.FromHours(12),
        });
        Delivery[] deliveries = await run.BeginWithAsync(FakeMessage.New("a"));

        // At 2.5, 5, 7.5 and 10 hours.
        for (int renewals = 1; renewals <= 4; renewals++)
        {
            run.Time.Advance(visibility / 2);
            await SqsRun.WaitAsync(() => run.Queue.VisibilityChanges.Count == renewals, "The message was not renewed.");
        }

        run.Queue.VisibilityChanges
            .SelectMany(call => call.Seconds)
            .ShouldBe([18_000, 18_000, 16_200 - 15, 7_200 - 15], ignoreOrder: false, "15 s are reserved for the call.");
        run.Time.Advance(visibility / 2);
        await SqsRun.WaitAsync(() => run.HasLogged(NoLongerRenewed), "The end of the renewals was not logged.");
        run.Queue.VisibilityChanges.Count.ShouldBe(4, "SQS would refuse any change.");
        await CompleteAsync(deliveries);
        await run.EndAsync();
    }

    [Fact]
    public async Task Renew_RedeliveredWhileInFlight_TimeCountsFromTheNewReceive()
    {
        await using SqsRun run = SqsRun.Create(options: ShortHold());
        FakeMessage message = FakeMessage.New("a");
        Delivery[] deliveries = await run.BeginWithAsync(message);
        await run.PassUntilAsync(() => run.HasLogged(NoLongerRenewed), "The renewals did not end.");

        int before = run.Queue.VisibilityChanges.Count;
        int receives = run.Queue.Receives.Count;
        run.Queue.Deliver(message.Again("handle-new"));
        await SqsRun.WaitAsync(() => run.Queue.Receives.Count > receives, "The redelivery was not received.");
        run.Time.Advance(Half);

        await SqsRun.WaitAsync(() => run.Queue.VisibilityChanges.Count == before + 1, "The redelivered message was not renewed.");
        run.Queue.VisibilityChanges[^1].Handles.ShouldBe(["handle-new"]);
        await CompleteAsync(deliveries);
        await run.EndAsync();
    }

    [Fact]
    public async Task Renew_LogThrows_OtherMessagesAreStillRenewed()
    {
        using FullLog log = new();
        await using SqsRun run = SqsRun.Create(options: ShortHold(), loggers: log);
        Delivery[] deliveries = await run.BeginWithAsync(FakeMessage.New("a"));
        await run.PassUntilAsync(() => log.Lines > 0, "The end of the renewals was not logged.");

        run.Queue.Deliver(FakeMessage.New("b"));
        Delivery[] later = await run.TakeAsync(1);
        await run.PassUntilAsync(() => run.Queue.VisibilityChanges.Any(call => call.Handles.Contains("handle-b")), "The log's exception ended the heartbeat.");

        await CompleteAsync([.. deliveries, .. later]);
        await run.EndAsync();
    }

    [Fact]
    public async Task Renew_FollowersOfAGroup_AreRenewedWhileTheyWait()
    {
        await using SqsRun run = SqsRun.Create(isFifo: true);
        await run.BeginAsync();
        run.Queue.Deliver(FakeMessage.New("1", "g"), FakeMessage.New("2", "g"), FakeMessage.New("3", "g"));
        Delivery first = await run.Intake.NextAsync();

        run.Time.Advance(Half);

        await SqsRun.WaitAsync(() => run.Queue.VisibilityChanges.Count == 1, "Nothing was renewed.");
        run.Queue.VisibilityChanges[0].Handles.ShouldBe(["handle-1", "handle-2", "handle-3"], ignoreOrder: true);
        run.Intake.Script = _ => Settlement.Complete;
        await first.SettleAsync(Settlement.Complete);
        await SqsRun.WaitAsync(() => run.Queue.Deletes.SelectMany(call => call.Handles).Count() == 3, "The group did not end.");
        await run.EndAsync();
    }

    [Fact]
    public async Task Renew_MessageThatWaitsForItsDelete_IsRenewed()
    {
        await using SqsRun run = SqsRun.Create();
        TaskCompletionSource deleting = new();
        run.Queue.Script = call => call.Operation == "DeleteMessageBatch" ? QueueAnswer.After(deleting.Task) : null;
        Delivery[] deliveries = await run.BeginWithAsync(FakeMessage.New("a"));
        await CompleteAsync(deliveries);
        await SqsRun.WaitAsync(() => run.Queue.Deletes.Count == 1, "The delete was not sent.");

        run.Time.Advance(Half);
        await SqsRun.WaitAsync(() => run.Queue.VisibilityChanges.Count == 1, "The renewals ended before the message was deleted.");

        deleting.SetResult();
        await run.EndAsync();
    }

    [Fact]
    public async Task Renew_DeletedWhileTheCallIsInFlight_IsNoFailure()
    {
        await using SqsRun run = SqsRun.Create();
        TaskCompletionSource renewing = new();
        run.Queue.Script = call => call.Operation == "ChangeMessageVisibilityBatch"
            ? QueueAnswer.Failing(call, "ReceiptHandleIsInvalid", senderFault: true, handle => handle == "handle-a") with { Gate = renewing.Task }
            : null;
        Delivery[] deliveries = await run.BeginWithAsync(FakeMessage.New("a"));
        run.Time.Advance(Half);
        await SqsRun.WaitAsync(() => run.Queue.VisibilityChanges.Count == 1, "The renewal was not sent.");
        await CompleteAsync(deliveries);
        await run.PassUntilSettledAsync();
        int countBefore = run.Queue.VisibilityChanges.Count;

        renewing.SetResult();

        // A renewal of a later message: the call has been dealt with.
        run.Queue.Deliver(FakeMessage.New("b"));
        Delivery[] later = await run.TakeAsync(1);
        await run.PassUntilAsync(() => run.Queue.VisibilityChanges.Count > countBefore, "The next message was not renewed.");
        run.HasLogged(RenewFailed).ShouldBeFalse();
        await CompleteAsync(later);
        await run.EndAsync();
    }

    [Fact]
    public async Task Renew_AfterTheStop_ContinuesUntilTheMessageIsSettled()
    {
        await using SqsRun run = SqsRun.Create();
        Delivery[] deliveries = await run.BeginWithAsync(FakeMessage.New("a"));
        await run.StopAsync();

        run.Time.Advance(Half);

        await SqsRun.WaitAsync(() => run.Queue.VisibilityChanges.Count == 1, "The renewal of a message in flight ended at the stop.");
        await CompleteAsync(deliveries);
        await run.EndAsync();
    }

    [Fact]
    public async Task Renew_NothingInFlight_CallsAndLogsNothing()
    {
        await using SqsRun run = SqsRun.Create();
        run.Queue.Script = call => call.Operation == "GetQueueUrl" ? QueueAnswer.InternalError : null;
        await run.BeginAsync();
        await run.PassAsync(TimeSpan.FromSeconds(60));

        run.Queue.Script = _ => null;
        run.Queue.Deliver(FakeMessage.New("a"));
        await run.PassUntilAsync(() => run.Intake.Accepted == 1, "The queue was not found.");
        await run.PassUntilAsync(() => run.Queue.VisibilityChanges.Count > 0, "The message was not renewed.");

        run.Queue.VisibilityChanges.ShouldHaveSingleItem().Handles.ShouldBe(["handle-a"]);
        run.HasLogged(RenewFailed).ShouldBeFalse("There is nothing to renew while the queue was not found.");
        await CompleteAsync(await run.TakeAsync(1));
        await run.EndAsync();
    }

    private static SqsSourceOptions ShortHold(string queue = "orders") => new()
    {
        Queue = queue,
        AcknowledgeDelay = TimeSpan.Zero,
        VisibilityTimeout = TimeSpan.FromSeconds(30),
        MaxHoldTime = TimeSpan.FromMinutes(1),
    };

    private static async Task CompleteAsync(IEnumerable<Delivery> deliveries)
    {
        foreach (Delivery delivery in deliveries)
        {
            await delivery.SettleAsync(Settlement.Complete);
        }
    }
}
