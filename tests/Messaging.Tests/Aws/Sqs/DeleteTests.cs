using Quayside.Messaging.Aws.Sqs;
using Quayside.Messaging.Aws.Sqs.Wire;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Aws.Sqs;

[Collection(OneThreadCollection.Name)]
public sealed class DeleteTests
{
    private const int DeleteGivenUp = 3202;

    [Fact]
    public async Task Complete_ManyMessages_DeletesEachOnceInBatchesOfTen()
    {
        await using SqsRun run = SqsRun.Create(concurrency: 60);
        FakeMessage[] messages = FakeMessage.Many(60);
        Delivery[] deliveries = await run.BeginWithAsync(messages);

        await Parallel.ForEachAsync(deliveries, async (delivery, _) => await delivery.SettleAsync(Settlement.Complete));
        await SqsRun.WaitAsync(() => Deleted(run).Length >= 60, "Not all were deleted.");

        Deleted(run).ShouldBe(messages.Select(message => message.Handle), ignoreOrder: true);
        run.Queue.Deletes.ShouldAllBe(call => call.Handles.Length <= 10);
        await run.EndAsync();
    }

    [Fact]
    public async Task Complete_TenWait_AreDeletedWithoutDelay()
    {
        await using SqsRun run = SqsRun.Create(options: Patient(TimeSpan.FromSeconds(5)));
        Delivery[] deliveries = await run.BeginWithAsync(FakeMessage.Many(10));

        foreach (Delivery delivery in deliveries)
        {
            await delivery.SettleAsync(Settlement.Complete);
        }

        await SqsRun.WaitAsync(() => run.Queue.Deletes.Count == 1, "A full batch waited for company.");
        run.Queue.Deletes[0].Handles.Length.ShouldBe(10);
        await run.EndAsync();
    }

    [Fact]
    public async Task Complete_FewMessages_ShareACallAfterTheAcknowledgeDelay()
    {
        await using SqsRun run = SqsRun.Create(concurrency: 60, options: Patient(TimeSpan.FromSeconds(5)));
        Delivery[] deliveries = await run.BeginWithAsync(FakeMessage.Many(4));

        foreach (Delivery delivery in deliveries)
        {
            await delivery.SettleAsync(Settlement.Complete);
        }

        await run.Time.PassAsync(TimeSpan.FromSeconds(4.9));
        run.Queue.Deletes.ShouldBeEmpty();
        await run.Time.PassAsync(TimeSpan.FromSeconds(0.1));
        await SqsRun.WaitAsync(() => Deleted(run).Length == 4, "The delay ended without a delete.");
        await run.EndAsync();
        run.Queue.Deletes.ShouldHaveSingleItem("Four messages that wait together are one call.");
    }

    [Fact]
    public async Task Delete_SomeEntriesFail_OnlyThoseAreSentAgain()
    {
        await using SqsRun run = SqsRun.Create(options: Patient(TimeSpan.FromSeconds(5)));
        int calls = 0;
        run.Queue.Script = call => call.Operation == "DeleteMessageBatch" && Interlocked.Increment(ref calls) == 1
            ? QueueAnswer.Failing(call, "InternalError", senderFault: false, handle => handle is "handle-1" or "handle-3")
            : null;
        Delivery[] deliveries = await run.BeginWithAsync(FakeMessage.Many(10));
        foreach (Delivery delivery in deliveries)
        {
            await delivery.SettleAsync(Settlement.Complete);
        }

        await run.PassUntilAsync(() => run.Queue.Deletes.Count == 2, "The failed entries were not sent again.");

        run.Queue.Deletes[1].Handles.ShouldBe(["handle-1", "handle-3"], ignoreOrder: true);
        await run.PassAsync(TimeSpan.FromSeconds(10));
        run.Queue.Deletes.Count.ShouldBe(2);
        await run.EndAsync();
    }

    [Theory]
    [InlineData("InternalError")]
    [InlineData("Throttled")]
    [InlineData("lost")]
    [InlineData("malformed")]
    [InlineData("unanswered")]
    [InlineData("hangs")]
    public async Task Delete_WholeCallFails_AllAreSentAgain(string failure)
    {
        await using SqsRun run = SqsRun.Create(wire: failure == "hangs" ? new SqsWireOptions { CallTimeout = TimeSpan.FromSeconds(2) } : null);
        int failed = 0;
        run.Queue.Script = call => call.Operation != "DeleteMessageBatch" || Interlocked.Increment(ref failed) > 3 ? null : failure switch
        {
            "InternalError" => QueueAnswer.InternalError,
            "Throttled" => QueueAnswer.Error(400, "RequestThrottled"),
            "lost" => QueueAnswer.Lost,
            "malformed" => new QueueAnswer(200, "{\"Successful\":"),
            "unanswered" => new QueueAnswer(200, "{}"),
            _ => QueueAnswer.Hang,
        };
        Delivery[] deliveries = await run.BeginWithAsync(FakeMessage.Many(3));
        foreach (Delivery delivery in deliveries)
        {
            await delivery.SettleAsync(Settlement.Complete);
        }

        // The calls after the first three succeed; together they contain every handle.
        await run.PassUntilAsync(() => run.Queue.Deletes.Skip(3).SelectMany(call => call.Handles).Distinct().Count() == 3, "The deletes were not sent again.");

        await run.PassUntilSettledAsync();
        int settled = run.Queue.Deletes.Count;
        await run.PassAsync(TimeSpan.FromSeconds(60));
        run.Queue.Deletes.Count.ShouldBe(settled);
        run.HasLogged(DeleteGivenUp).ShouldBeFalse();
        await run.EndAsync();
    }

    [Theory]
    [InlineData("ReceiptHandleIsInvalid")]
    [InlineData("InvalidParameterValue")]
    public async Task Delete_HandleIsRefused_IsNotRetriedAndLogged(string code)
    {
        await using SqsRun run = SqsRun.Create();
        run.Queue.Script = call => call.Operation == "DeleteMessageBatch" ? QueueAnswer.Failing(call, code, senderFault: true, _ => true) : null;
        FakeMessage message = FakeMessage.New("a");
        Delivery[] deliveries = await run.BeginWithAsync(message);
        await deliveries[0].SettleAsync(Settlement.Complete);

        await SqsRun.WaitAsync(() => run.HasLogged(DeleteGivenUp), "The redelivery was not logged.");
        await run.PassAsync(TimeSpan.FromSeconds(60));
        run.Queue.Deletes.Count.ShouldBe(1);

        run.Queue.Script = _ => null;
        run.Queue.Deliver(message.Again("handle-new"));
        await run.PassUntilAsync(() => run.Queue.Deletes.Count == 2, "The redelivery was not deleted.");
        run.Queue.Deletes[1].Handles.ShouldBe(["handle-new"]);
        run.Intake.Accepted.ShouldBe(1);
        await run.EndAsync();
    }

    [Fact]
    public async Task Delete_OneEntryNeverSucceeds_OthersAreNotDelayed()
    {
        await using SqsRun run = SqsRun.Create();
        run.Queue.Script = call => call.Operation == "DeleteMessageBatch"
            ? QueueAnswer.Failing(call, "InternalError", senderFault: false, handle => handle == "handle-0")
            : null;
        await run.BeginAsync();
        run.Intake.Script = _ => Settlement.Complete;
        run.Queue.DeliverAll(FakeMessage.Many(10));
        await SqsRun.WaitAsync(() => run.Intake.Accepted == 10, "Not received.");
        await run.PassAsync(TimeSpan.FromMinutes(2));

        DateTimeOffset before = run.Time.GetUtcNow();
        FakeMessage[] later = [.. Enumerable.Range(100, 50).Select(number => FakeMessage.New($"{number}"))];
        run.Queue.DeliverAll(later);
        await run.PassUntilAsync(
            () => later.All(message => Deleted(run).Contains(message.Handle)), "Deletes that would succeed wait behind one that does not.");

        (run.Time.GetUtcNow() - before).ShouldBeLessThan(TimeSpan.FromSeconds(30), "One wait of a single worker at most.");
        run.Queue.Script = _ => null;
        await run.EndAsync();
    }

    [Fact]
    public async Task Delete_NeverSucceeds_EndsWhenTheMessageIsNoLongerRenewed()
    {
        await using SqsRun run = SqsRun.Create();
        run.Queue.Script = call => call.Operation == "DeleteMessageBatch" ? QueueAnswer.InternalError : null;
        Delivery[] deliveries = await run.BeginWithAsync(FakeMessage.New("a"));
        DateTimeOffset start = run.Time.GetUtcNow();
        await deliveries[0].SettleAsync(Settlement.Complete);

        await run.PassUntilAsync(() => run.HasLogged(DeleteGivenUp), TimeSpan.FromSeconds(1), "The attempts never ended.");

        // MaxHoldTime and Intake:MessageTimeout have passed. The pauses grow to up to 30 s.
        (run.Time.GetUtcNow() - start).ShouldBeGreaterThan(TimeSpan.FromMinutes(16));
        run.Queue.Deletes.Count.ShouldBeInRange(32, 200, "Neither a hot loop nor long pauses.");
        await run.EndAsync();
    }

    [Fact]
    public async Task Delete_FailsAndTheLogThrows_IsStillRetried()
    {
        using FullLog log = new();
        await using SqsRun run = SqsRun.Create(loggers: log);
        int failed = 0;
        run.Queue.Script = call => call.Operation == "DeleteMessageBatch" && Interlocked.Increment(ref failed) <= 2 ? QueueAnswer.InternalError : null;
        Delivery[] deliveries = await run.BeginWithAsync(FakeMessage.New("a"));

        await deliveries[0].SettleAsync(Settlement.Complete);

        await run.PassUntilAsync(() => run.Queue.Deletes.Count == 3, "The log's exception ended the worker.");
        log.Lines.ShouldBeGreaterThan(0);
        await run.PassUntilSettledAsync();
        await run.EndAsync();
    }

    [Fact]
    public async Task Redelivery_OfASettledMessage_IsDeletedAndNotAccepted()
    {
        await using SqsRun run = SqsRun.Create();
        FakeMessage message = FakeMessage.New("a");
        Delivery[] deliveries = await run.BeginWithAsync(message);
        await deliveries[0].SettleAsync(Settlement.Complete);
        await run.PassUntilSettledAsync();

        run.Queue.Deliver(message.Again("handle-b"));

        await run.PassUntilAsync(() => run.Queue.Deletes.Count == 2, "The redelivery was not deleted.");
        run.Queue.Deletes[1].Handles.ShouldBe(["handle-b"]);
        run.Intake.Accepted.ShouldBe(1);
        await run.EndAsync();
    }

    [Fact]
    public async Task Redelivery_OfAForgottenMessage_IsAccepted()
    {
        await using SqsRun run = SqsRun.Create(options: new SqsSourceOptions { Queue = "orders", AcknowledgeDelay = TimeSpan.Zero, DoneIds = 2 });
        FakeMessage[] messages = FakeMessage.Many(3);
        await run.BeginAsync();
        foreach (FakeMessage message in messages)
        {
            run.Queue.Deliver(message);
            await (await run.Intake.NextAsync()).SettleAsync(Settlement.Complete);
        }

        await run.PassUntilSettledAsync();
        run.Queue.Deliver(messages[2].Again("again-2"));
        run.Queue.Deliver(messages[0].Again("again-0"));

        Delivery forgotten = await run.Intake.NextAsync();
        forgotten.Id.ShouldBe(messages[0].Id);
        forgotten.Count.ShouldBe(2);
        await forgotten.SettleAsync(Settlement.Complete);
        await run.PassUntilAsync(() => Deleted(run).Contains("again-2") && Deleted(run).Contains("again-0"), "Not deleted.");
        run.Intake.Accepted.ShouldBe(4);
        await run.EndAsync();
    }

    [Fact]
    public async Task Redelivery_OfAMessageInFlight_NewestHandleDeletesAndTheSlotIsFree()
    {
        await using SqsRun run = SqsRun.Create();
        FakeMessage message = FakeMessage.New("a");
        Delivery[] deliveries = await run.BeginWithAsync(message);

        run.Queue.Deliver(message.Again("handle-b"));
        run.Queue.Deliver(message.Again("handle-c"));
        await SqsRun.WaitAsync(() => run.Queue.Receives.Count == 4, "The redeliveries were not received.");
        await SqsRun.WaitAsync(() => run.Intake.Balance == 10 - 1 || run.Intake.Balance == 10, "The slots of the redeliveries were kept.");
        await deliveries[0].SettleAsync(Settlement.Complete);

        await SqsRun.WaitAsync(() => run.Queue.Deletes.Count == 1, "Not deleted.");
        run.Queue.Deletes[0].Handles.ShouldBe(["handle-c"]);
        run.Intake.Accepted.ShouldBe(1);
        await run.EndAsync();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Redelivery_WhileTheDeleteIsInFlight_IsDeletedWithTheNewerHandleToo(bool firstSucceeds)
    {
        await using SqsRun run = SqsRun.Create();
        TaskCompletionSource deleting = new();
        run.Queue.Script = call => call.Operation == "DeleteMessageBatch" && call.Handles.Contains("handle-a")
            ? QueueAnswer.Failing(call, "ReceiptHandleIsInvalid", senderFault: true, _ => !firstSucceeds) with { Gate = deleting.Task }
            : null;
        FakeMessage message = FakeMessage.New("a");
        Delivery[] deliveries = await run.BeginWithAsync(message);
        await deliveries[0].SettleAsync(Settlement.Complete);
        await SqsRun.WaitAsync(() => run.Queue.Deletes.Count == 1, "The delete was not sent.");

        run.Queue.Deliver(message.Again("handle-b"));
        await SqsRun.WaitAsync(() => run.Queue.Receives.Count == 3, "The redelivery was not received.");
        deleting.SetResult();

        await run.PassUntilAsync(() => run.Queue.Deletes.Count == 2, "The service calls the delete of an outdated handle a success and keeps the message.");
        run.Queue.Deletes[1].Handles.ShouldBe(["handle-b"]);
        run.HasLogged(DeleteGivenUp).ShouldBeFalse();
        run.Intake.Accepted.ShouldBe(1);
        await run.EndAsync();
    }

    private static string[] Deleted(SqsRun run) => [.. run.Queue.Deletes.SelectMany(call => call.Handles)];

    private static SqsSourceOptions Patient(TimeSpan delay) =>
        new() { Queue = "orders", AcknowledgeDelay = delay, VisibilityTimeout = TimeSpan.FromSeconds(30) };
}
