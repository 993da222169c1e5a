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

    private static Task<RedriveResult> RunAsync(MemoryQueue queue, RedriveRequest request) =>
        new DeadLetterMover(queue, request, new CommandServices(new ManualTimeProvider(), TextWriter.Null, TextWriter.Null)).RunAsync(
            TestContext.Current.CancellationToken);
}
