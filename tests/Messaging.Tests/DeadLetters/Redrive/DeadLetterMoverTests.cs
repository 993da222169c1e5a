using System.Collections.Concurrent;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.DeadLetters.Redrive;
using Quayside.Messaging.Publishing;

namespace Messaging.Tests.DeadLetters.Redrive;

public sealed class DeadLetterMoverTests
{
    private static readonly RedriveRequest All = new(Reason: null, Max: int.MaxValue, DryRun: false, Url: null, Route: null);

    [Fact]
    public async Task Run_EachDeadLetter_IsSentBeforeItIsDeleted()
    {
        MemoryQueue queue = new(2);

        RedriveResult result = await RunAsync(queue, All);

        (result.Sent, result.IsComplete).ShouldBe((2, true));
        queue.Calls.ShouldBe(["send m-1", "delete m-1", "send m-2", "delete m-2"]);
    }

    [Fact]
    public async Task Run_QueueDoesNotSayWhereItSent_DeletesNothing()
    {
        MemoryQueue queue = new(2) { Answer = SentTo.Undecided };

        InvalidOperationException defect = await Should.ThrowAsync<InvalidOperationException>(() => RunAsync(queue, All));

        defect.Message.ShouldContain("it is unknown whether m-1 was sent");
        queue.Calls.ShouldBe(["send m-1", "release m-1"]);
    }

    [Fact]
    public async Task Run_SentButNotDeletedAndThenTheQueueFails_IsReported()
    {
        MemoryQueue queue = new(2) { Deleting = static () => throw new IOException("busy"), FailReceive = FailFrom(2) };

        RedriveResult result = await RunAsync(queue, All);

        (result.Found, result.Sent, result.LeftCount).ShouldBe((1, 0, 1));
        result.Left.ShouldHaveSingleItem().ShouldBe("m-1: sent, but not deleted: busy");
        result.Ended.ShouldBe("Queue memory: down. Run redrive again for the rest.");
        queue.Calls.ShouldBe(["send m-1", "release m-1"]);
    }

    [Theory]
    [InlineData(true, null, 2)]
    [InlineData(false, "other", 0)]
    public async Task Run_QueueFailsAfterSomeThatStay_KeepsTheSummary(bool dryRun, string? reason, int found)
    {
        MemoryQueue queue = new(3) { FailReceive = FailFrom(3) };

        RedriveResult result = await RunAsync(queue, All with { DryRun = dryRun, Reason = reason });

        (result.Found, result.Sent, result.LeftCount).ShouldBe((found, 0, 0));
        result.Ended.ShouldBe("Queue memory: down. Run redrive again for the rest.");
    }

    [Fact]
    public async Task Run_QueueFailsAtOnce_SaysWhatToDoInsteadOfASummary()
    {
        StartupException down = await Should.ThrowAsync<StartupException>(() => RunAsync(new MemoryQueue(3) { FailReceive = FailFrom(1) }, All));

        (down.Message, down.ExitCode).ShouldBe(("Queue memory: down.", ExitCodes.Unavailable));
    }

    /// <summary>The clock moves only while the run waits for it, so that each send has its exact time.</summary>
    [Fact]
    public async Task Run_WithARate_SendsNoFasterAndNoSlower()
    {
        ManualTimeProvider time = new();
        DateTimeOffset start = time.GetUtcNow();
        ConcurrentQueue<double> sends = [];
        MemoryQueue queue = new(4)
        {
            Deleting = () =>
            {
                sends.Enqueue((time.GetUtcNow() - start).TotalMilliseconds);
                return Task.CompletedTask;
            },
        };

        Task<RedriveResult> run = RunAsync(queue, All with { Rate = 2 }, time);
        while (await Task.WhenAny(run, time.WaitForTimersAsync(1)) != run)
        {
            time.Advance(TimeSpan.FromMilliseconds(1));
        }

        (await run).Sent.ShouldBe(4);
        sends.ShouldBe([0, 500, 1_000, 1_500]);
    }

    private static Func<int, Exception?> FailFrom(int number) => receive => receive >= number ? new IOException("down") : null;

    private static Task<RedriveResult> RunAsync(MemoryQueue queue, RedriveRequest request, TimeProvider? time = null) =>
        new DeadLetterMover(queue, request, new CommandServices(time ?? new ManualTimeProvider(), TextWriter.Null, TextWriter.Null)).RunAsync(
            TestContext.Current.CancellationToken);
}
