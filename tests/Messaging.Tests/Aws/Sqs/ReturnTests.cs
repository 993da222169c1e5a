using Quayside.Messaging.Aws.Sqs;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Aws.Sqs;

[Collection(OneThreadCollection.Name)]
public sealed class ReturnTests
{
    private const int ReturnGivenUp = 3203;

    [Theory]
    [InlineData(0, 0)]
    [InlineData(300, 1)]
    [InlineData(7_000, 7)]
    [InlineData(7_001, 8)]
    public async Task Abandon_WithDelay_BecomesAVisibilityTimeoutInWholeSeconds(int milliseconds, int seconds)
    {
        await using SqsRun run = SqsRun.Create();
        Delivery[] deliveries = await run.BeginWithAsync(FakeMessage.New("a"));

        await deliveries[0].SettleAsync(Settlement.Abandon(TimeSpan.FromMilliseconds(milliseconds)));
        await run.PassUntilAsync(() => run.Queue.VisibilityChanges.Count == 1, "The message was not returned.");

        run.Queue.VisibilityChanges[0].Handles.ShouldBe(["handle-a"]);
        run.Queue.VisibilityChanges[0].Seconds.ShouldBe([seconds]);
        run.Queue.Deletes.ShouldBeEmpty();
        await run.EndAsync();
    }

    [Fact]
    public async Task Abandon_DelayBeyondTwelveHours_IsCutToWhatIsLeftOfThem()
    {
        const int AnHour = 3_600;
        await using SqsRun run = SqsRun.Create(options: Hidden(TimeSpan.FromHours(4)));
        Delivery[] deliveries = await run.BeginWithAsync(FakeMessage.New("a"));
        run.Time.Advance(TimeSpan.FromSeconds(AnHour));

        await deliveries[0].SettleAsync(Settlement.Abandon(TimeSpan.FromHours(100)));
        await run.PassUntilAsync(() => run.Queue.VisibilityChanges.Count == 1, "The message was not returned.");

        // SQS counts from the receive, and refuses more. Some seconds are reserved for the call.
        run.Queue.VisibilityChanges[0].Seconds[0].ShouldBeInRange(43_200 - (2 * AnHour), 43_200 - AnHour - 1);
        await run.EndAsync();
    }

    [Fact]
    public async Task Abandon_Message_IsNoLongerRenewed()
    {
        await using SqsRun run = SqsRun.Create();
        Delivery[] deliveries = await run.BeginWithAsync(FakeMessage.New("a"));
        await deliveries[0].SettleAsync(Settlement.Abandon(TimeSpan.FromMinutes(10)));

        await run.PassUntilAsync(() => run.Queue.VisibilityChanges.Count == 1, "The message was not returned.");

        await run.PassAsync(TimeSpan.FromMinutes(1));

        run.Queue.VisibilityChanges.ShouldHaveSingleItem("A renewal would shorten the delay.").Seconds.ShouldBe([600]);
        await run.EndAsync();
    }

    [Fact]
    public async Task Abandon_RenewalIsInFlight_IsSentAfterItsAnswer()
    {
        await using SqsRun run = SqsRun.Create();
        TaskCompletionSource renewing = new();
        string? order = null;
        run.Queue.Script = call =>
        {
            if (call.Operation != "ChangeMessageVisibilityBatch")
            {
                return null;
            }

            if (call.Seconds is not [0])
            {
                return QueueAnswer.After(renewing.Task);
            }

            order = renewing.Task.IsCompleted ? "after the renewal" : "before the renewal";
            return null;
        };
        Delivery[] deliveries = await run.BeginWithAsync(FakeMessage.New("a"));
        run.Time.Advance(SqsRun.Options().VisibilityTimeout / 2);
        await SqsRun.WaitAsync(() => run.Queue.VisibilityChanges.Count == 1, "The renewal was not sent.");
        await deliveries[0].SettleAsync(Settlement.Abandon(TimeSpan.Zero));
        await run.PassAsync(TimeSpan.FromSeconds(1));

        renewing.SetResult();

        await run.PassUntilAsync(() => order is not null, "The message did not become visible.");
        order.ShouldBe("after the renewal");
        await run.EndAsync();
    }

    [Fact]
    public async Task Abandon_RenewalHangs_IsStillSent()
    {
        await using SqsRun run = SqsRun.Create();
        TaskCompletionSource never = new();
        run.Queue.Script = call => call.Operation == "ChangeMessageVisibilityBatch" && call.Seconds is not [0] ? QueueAnswer.After(never.Task) : null;
        Delivery[] deliveries = await run.BeginWithAsync(FakeMessage.New("a"));
        run.Time.Advance(SqsRun.Options().VisibilityTimeout / 2);
        await SqsRun.WaitAsync(() => run.Queue.VisibilityChanges.Count == 1, "The renewal was not sent.");
        await deliveries[0].SettleAsync(Settlement.Abandon(TimeSpan.Zero));

        await run.PassUntilAsync(() => run.Queue.VisibilityChanges.Any(call => call.Seconds is [0]), "The message did not become visible.");

        never.SetResult();
        await run.EndAsync();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Abandon_CannotBeReturned_EndsAfterThreeAttemptsAndIsRedelivered(bool wholeCall)
    {
        await using SqsRun run = SqsRun.Create();
        run.Queue.Script = call => call.Operation != "ChangeMessageVisibilityBatch" ? null
            : wholeCall ? QueueAnswer.InternalError : QueueAnswer.Failing(call, "InternalError", senderFault: false, _ => true);
        FakeMessage message = FakeMessage.New("a");
        Delivery[] deliveries = await run.BeginWithAsync(message);
        await deliveries[0].SettleAsync(Settlement.Abandon(TimeSpan.Zero));

        await run.PassUntilAsync(() => run.HasLogged(ReturnGivenUp), "The attempts never ended.");
        await run.PassAsync(TimeSpan.FromMinutes(1));
        run.Queue.VisibilityChanges.Count.ShouldBe(3);

        run.Queue.Deliver(message.Again("handle-b"));
        Delivery again = await run.Intake.NextAsync();
        again.Id.ShouldBe(message.Id);
        again.Count.ShouldBe(2);
        await again.SettleAsync(Settlement.Complete);
        await SqsRun.WaitAsync(() => run.Queue.Deletes.Count == 1, "Not deleted.");
        await run.EndAsync();
    }

    [Fact]
    public async Task Abandon_WithDelayAndSomeCallsFail_IsRetriedForTheRestOfTheDelay()
    {
        await using SqsRun run = SqsRun.Create(options: Hidden(TimeSpan.FromMinutes(4)));
        int calls = 0;
        TaskCompletionSource later = new();
        run.Queue.Script = call => call.Operation == "ChangeMessageVisibilityBatch" && Interlocked.Increment(ref calls) <= 3
            ? QueueAnswer.InternalError with { Gate = later.Task }
            : null;
        Delivery[] deliveries = await run.BeginWithAsync(FakeMessage.New("a"));

        await deliveries[0].SettleAsync(Settlement.Abandon(TimeSpan.FromMinutes(5)));
        await run.PassUntilAsync(() => run.Queue.VisibilityChanges.Count >= 1, "The message was not returned.");
        run.Time.Advance(TimeSpan.FromMinutes(1));
        later.SetResult();
        await run.PassUntilAsync(() => run.Queue.VisibilityChanges.Count == 4, "The delay was given up.");

        run.Queue.VisibilityChanges[0].Seconds.ShouldBe([300]);
        run.Queue.VisibilityChanges[3].Seconds[0].ShouldBeInRange(120, 240, "A minute of the delay has passed.");
        await run.EndAsync();
        run.HasLogged(ReturnGivenUp).ShouldBeFalse();
    }

    [Fact]
    public async Task Abandon_WithDelayAndNoCallSucceeds_EndsWithTheVisibility()
    {
        TimeSpan visibility = TimeSpan.FromSeconds(90);
        await using SqsRun run = SqsRun.Create(options: Hidden(visibility));
        run.Queue.Script = call => call.Operation == "ChangeMessageVisibilityBatch" ? QueueAnswer.InternalError : null;
        Delivery[] deliveries = await run.BeginWithAsync(FakeMessage.New("a"));
        DateTimeOffset start = run.Time.GetUtcNow();
        await deliveries[0].SettleAsync(Settlement.Abandon(TimeSpan.FromMinutes(1)));

        await run.PassUntilAsync(() => run.HasLogged(ReturnGivenUp), "The attempts never ended.");

        (run.Time.GetUtcNow() - start).ShouldBeGreaterThanOrEqualTo(visibility);
        run.Queue.VisibilityChanges[^1].Seconds.ShouldBe([0], "The delay is over: the message may be visible immediately.");
        await run.EndAsync();
    }

    [Fact]
    public async Task Abandon_HandleIsRefused_IsNotRetried()
    {
        await using SqsRun run = SqsRun.Create();
        run.Queue.Script = call => call.Operation == "ChangeMessageVisibilityBatch"
            ? QueueAnswer.Failing(call, "InvalidParameterValue", senderFault: true, _ => true)
            : null;
        Delivery[] deliveries = await run.BeginWithAsync(FakeMessage.New("a"));
        await deliveries[0].SettleAsync(Settlement.Abandon(TimeSpan.Zero));

        await run.PassUntilAsync(() => run.HasLogged(ReturnGivenUp), "The attempts never ended.");
        await run.PassAsync(TimeSpan.FromMinutes(1));

        run.Queue.VisibilityChanges.Count.ShouldBe(1);
        await run.EndAsync();
    }

    private static SqsSourceOptions Hidden(TimeSpan timeout) => new() { Queue = "orders", AcknowledgeDelay = TimeSpan.Zero, VisibilityTimeout = timeout };
}
