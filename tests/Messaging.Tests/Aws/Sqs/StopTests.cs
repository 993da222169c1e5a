using Quayside.Messaging.Aws.Sqs;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Aws.Sqs;

[Collection(OneThreadCollection.Name)]
public sealed class StopTests
{
    private const int DeleteGivenUp = 3202;

    private static readonly TimeSpan Grace = TimeSpan.FromMilliseconds(500);
    private static readonly TimeSpan Moment = TimeSpan.FromMilliseconds(1);

    [Fact]
    public async Task Stop_LongPollOfAnEmptyQueue_EndsAfterTheGrace()
    {
        await using SqsRun run = SqsRun.Create(concurrency: 30);
        await run.BeginAsync();
        await SqsRun.WaitAsync(() => run.Queue.Polling == 3, "The loops do not poll.");

        Task stopping = run.StopReceivingAsync();
        await run.Time.PassAsync(Grace - Moment);
        stopping.IsCompleted.ShouldBeFalse("A receive that may bring messages has a moment to do so.");
        await run.Time.PassAsync(Moment);

        await stopping;
        await SqsRun.WaitAsync(() => run.Queue.Polling == 0, "A poll went on.");
        await run.EndAsync();
    }

    // Found by `proof replay --seed 3503` (docs/evidence/proof.md).
    [Fact]
    public async Task Stop_WhileSlotsAreGranted_SendsNoReceiveAndReleasesThem()
    {
        await using SqsRun run = SqsRun.Create();
        await run.Source.CheckAsync(CancellationToken.None);
        using CancellationTokenSource stop = new();
        StoppingIntake intake = new(stop);

        await run.Source.ReceiveAsync(intake, stop.Token);

        run.Queue.Receives.ShouldBeEmpty();
        intake.Reserved.ShouldBe(0);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Stop_ReceiveStillBringsMessages_AllAreReturnedImmediately(bool isFifo)
    {
        await using SqsRun run = SqsRun.Create(isFifo);
        await run.BeginAsync();
        await SqsRun.WaitAsync(() => run.Queue.Polling == 1, "The loop does not poll.");
        Task stopping = run.StopReceivingAsync();
        await run.Time.PassAsync(Moment);

        FakeMessage[] messages = isFifo ? [FakeMessage.New("a1", "a"), FakeMessage.New("a2", "a"), FakeMessage.New("b1", "b")] : FakeMessage.Many(7);
        run.Queue.Deliver(messages);
        await stopping;
        await run.PassUntilAsync(
            () => run.Queue.VisibilityChanges.SelectMany(call => call.Handles).Count() == messages.Length, "Messages were kept until their timeout.");

        run.Queue.VisibilityChanges.SelectMany(call => call.Seconds).ShouldAllBe(seconds => seconds == 0);
        run.Intake.Accepted.ShouldBe(0);
        await run.EndAsync();
    }

    [Fact]
    public async Task Stop_WhileTheLoopBacksOff_EndsImmediately()
    {
        await using SqsRun run = SqsRun.Create();
        run.Queue.Script = call => call.Operation == "ReceiveMessage" ? QueueAnswer.Error(403, "AccessDenied") : null;
        await run.BeginAsync();
        await SqsRun.WaitAsync(() => run.Source.Problem is not null, "It does not fail.");

        await run.StopReceivingAsync();

        await run.EndAsync();
    }

    [Fact]
    public async Task Close_DeletesWaitForABatch_AreSentWithoutDelay()
    {
        await using SqsRun run = SqsRun.Create(concurrency: 30, options: new SqsSourceOptions { Queue = "orders", AcknowledgeDelay = TimeSpan.FromSeconds(5) });
        Delivery[] deliveries = await run.BeginWithAsync(FakeMessage.Many(4));
        await run.StopAsync();
        foreach (Delivery delivery in deliveries)
        {
            await delivery.SettleAsync(Settlement.Complete);
        }

        await run.Time.PassAsync(Moment);
        run.Queue.Deletes.ShouldBeEmpty();
        await run.Source.CloseAsync(CancellationToken.None).WaitAsync(TimeSpan.FromSeconds(60));

        run.Queue.Deletes.SelectMany(call => call.Handles).Count().ShouldBe(4);
        await run.EndAsync();
    }

    [Fact]
    public async Task Close_DeletesBackOff_AreRetriedBeforeTheEnd()
    {
        await using SqsRun run = SqsRun.Create();
        run.Queue.Script = call => call.Operation == "DeleteMessageBatch" ? QueueAnswer.InternalError : null;
        Delivery[] deliveries = await run.BeginWithAsync(FakeMessage.New("a"));
        await deliveries[0].SettleAsync(Settlement.Complete);
        await run.PassUntilAsync(() => run.Queue.Deletes.Count >= 12, "The delete was not retried.");
        await run.StopAsync();

        run.Queue.Script = _ => null;
        int sent = run.Queue.Deletes.Count;
        DateTimeOffset before = run.Time.GetUtcNow();
        Task closing = run.Source.CloseAsync(CancellationToken.None);
        await SqsRun.WaitAsync(() => run.Queue.Deletes.Count > sent || closing.IsCompleted, "The close did not end the pause.");
        await run.PassWhileAsync(closing);

        (run.Time.GetUtcNow() - before).ShouldBeLessThan(TimeSpan.FromSeconds(2), "The flush has 2 s, and the pauses between tries were up to 30 s.");
        run.HasLogged(DeleteGivenUp).ShouldBeFalse();
        await run.EndAsync();
    }

    [Fact]
    public async Task Close_DeletesHang_GivesUpAtItsToken()
    {
        await using SqsRun run = SqsRun.Create(concurrency: 30);
        run.Queue.Script = call => call.Operation == "DeleteMessageBatch" ? QueueAnswer.Hang : null;
        Delivery[] deliveries = await run.BeginWithAsync(FakeMessage.Many(25));
        foreach (Delivery delivery in deliveries)
        {
            await delivery.SettleAsync(Settlement.Complete);
        }

        await SqsRun.WaitAsync(() => run.Queue.Deletes.Count >= 2, "The deletes were not sent.");
        await run.StopAsync();
        using CancellationTokenSource limit = new();
        Task closing = run.Source.CloseAsync(limit.Token);
        closing.IsCompleted.ShouldBeFalse();

        await limit.CancelAsync();

        await closing.WaitAsync(TimeSpan.FromSeconds(60));
        run.HasLogged(DeleteGivenUp).ShouldBeTrue();
        await run.EndAsync();
    }

    [Fact]
    public async Task Settle_AfterTheClose_NeitherThrowsNorKeepsAnything()
    {
        await using SqsRun run = SqsRun.Create();
        Delivery[] deliveries = await run.BeginWithAsync(FakeMessage.Many(3));
        await run.StopAsync();
        await run.Source.CloseAsync(CancellationToken.None);

        await deliveries[0].SettleAsync(Settlement.Complete);
        await deliveries[1].SettleAsync(Settlement.Abandon(TimeSpan.Zero));
        await deliveries[2].SettleAsync(Settlement.DeadLetter("malformed-json", "Broken."));

        run.HasLogged(DeleteGivenUp).ShouldBeTrue();
        await run.EndAsync();
    }

    [Fact]
    public async Task Settle_FifoHeadAfterTheClose_ReleasesTheSlotsOfItsGroup()
    {
        await using SqsRun run = SqsRun.Create(isFifo: true);
        await run.BeginAsync();
        run.Queue.Deliver(FakeMessage.New("a1", "a"), FakeMessage.New("a2", "a"), FakeMessage.New("a3", "a"));
        Delivery head = await run.Intake.NextAsync();
        await run.StopAsync();
        await run.Source.CloseAsync(CancellationToken.None);

        await head.SettleAsync(Settlement.Complete);

        await run.EndAsync();
    }

    [Fact]
    public async Task Dispose_WithoutClose_EndsEverything()
    {
        await using SqsRun run = SqsRun.Create();
        run.Queue.Script = call => call.Operation is "DeleteMessageBatch" or "ChangeMessageVisibilityBatch" ? QueueAnswer.Hang : null;
        Delivery[] deliveries = await run.BeginWithAsync(FakeMessage.Many(2));
        await deliveries[0].SettleAsync(Settlement.Complete);
        await deliveries[1].SettleAsync(Settlement.Abandon(TimeSpan.Zero));
        await run.StopAsync();

        await run.Source.DisposeAsync().AsTask().WaitAsync(TimeSpan.FromSeconds(60));
        await run.Source.DisposeAsync();

        run.OutstandingBuffers.ShouldBe(0);
    }
}
