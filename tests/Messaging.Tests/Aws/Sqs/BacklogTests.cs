using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Aws.Sqs;

/// <summary>More messages are settled than SQS accepts meanwhile.</summary>
[Collection(OneThreadCollection.Name)]
public sealed class BacklogTests
{
    private const int ReturnGivenUp = 3203;

    // For a concurrency of ten, 100 may wait, beside the 20 in the calls of the two workers.
    private const int Settled = 200;

    [Theory]
    [InlineData("DeleteMessageBatch")]
    [InlineData("ChangeMessageVisibilityBatch")]
    public async Task Settle_NoCallSucceeds_EndsImmediatelyAndReceivingPauses(string operation)
    {
        // Slots for another receive, which is under way when too many wait.
        await using SqsRun run = SqsRun.Create(slots: Settled + 10);
        TaskCompletionSource answering = new();
        run.Queue.Script = call => call.Operation == operation ? QueueAnswer.After(answering.Task) : null;
        FakeMessage[] messages = FakeMessage.Many(Settled);
        Delivery[] deliveries = await run.BeginWithAsync(messages);
        await SqsRun.WaitAsync(() => run.Queue.Polling == 1, "The loop does not poll.");

        Settlement settlement = operation == "DeleteMessageBatch" ? Settlement.Complete : Settlement.Abandon(TimeSpan.Zero);
        foreach (Delivery delivery in deliveries)
        {
            delivery.SettleAsync(settlement).IsCompletedSuccessfully.ShouldBeTrue("A settlement must not wait for the queue.");
        }

        run.Source.Problem.ShouldNotBeNull().ShouldContain("Settled messages wait");
        run.Queue.Deliver(FakeMessage.New("under way"));
        Delivery[] underWay = await run.TakeAsync(1);
        int receives = run.Queue.Receives.Count;
        run.Queue.Deliver(FakeMessage.New("later"));
        await run.PassAsync(TimeSpan.FromSeconds(5));
        run.Queue.Receives.Count.ShouldBe(receives);

        answering.SetResult();
        await run.PassUntilAsync(() => run.Intake.Accepted == Settled + 2, "Receiving did not go on.");
        run.Source.Problem.ShouldBeNull();
        foreach (Delivery delivery in (Delivery[])[.. underWay, .. await run.TakeAsync(1)])
        {
            await delivery.SettleAsync(Settlement.Complete);
        }

        await run.EndAsync();
        HashSet<string> sent = [.. run.Queue.Calls.Where(call => call.Operation == operation).SelectMany(call => call.Handles)];
        sent.IsSupersetOf(messages.Select(message => message.Handle)).ShouldBeTrue("A settled message was forgotten.");
    }

    [Theory]
    [InlineData("DeleteMessageBatch")]
    [InlineData("ChangeMessageVisibilityBatch")]
    public async Task Settle_OneMessageAndEveryCallFails_IsAProblemAfterAWhile(string operation)
    {
        await using SqsRun run = SqsRun.Create();
        bool fails = true;
        run.Queue.Script = call => Volatile.Read(ref fails) && call.Operation == operation ? QueueAnswer.InternalError : null;
        Delivery delivery = (await run.BeginWithAsync(FakeMessage.New("a")))[0];
        run.Source.Problem.ShouldBeNull();

        await delivery.SettleAsync(Of(operation));

        // Longer than a return is retried.
        await run.PassAsync(TimeSpan.FromSeconds(45));
        await run.PassUntilAsync(() => run.Source.Problem is not null, TimeSpan.FromSeconds(1), "The source reports no problem.");
        run.Source.Problem.ShouldNotBeNull().ShouldStartWith("SQS has accepted no delete or visibility change of settled messages for more than 30 s");

        Volatile.Write(ref fails, false);
        run.Queue.Deliver(FakeMessage.New("b"));
        await (await run.TakeAsync(1))[0].SettleAsync(Of(operation));
        await run.PassUntilAsync(() => run.Source.Problem is null, TimeSpan.FromSeconds(1), "The problem stays.");
        await run.EndAsync();
    }

    [Fact]
    public async Task Settle_ReturnIsGivenUpAndTheQueueIsIdle_IsAProblemForTenMinutes()
    {
        await using SqsRun run = SqsRun.Create();
        run.Queue.Script = call => call.Operation == "ChangeMessageVisibilityBatch" ? QueueAnswer.InternalError : null;
        Delivery delivery = (await run.BeginWithAsync(FakeMessage.New("a")))[0];

        await delivery.SettleAsync(Of("ChangeMessageVisibilityBatch"));
        await run.PassUntilAsync(() => run.HasLogged(ReturnGivenUp), TimeSpan.FromSeconds(1), "The return is not given up.");
        await run.PassAsync(TimeSpan.FromMinutes(5));
        run.Source.Problem.ShouldNotBeNull();

        await run.PassAsync(TimeSpan.FromMinutes(6));
        run.Source.Problem.ShouldBeNull();
        await run.EndAsync();
    }

    private static Settlement Of(string operation) => operation == "DeleteMessageBatch" ? Settlement.Complete : Settlement.Abandon(TimeSpan.FromMinutes(5));
}
