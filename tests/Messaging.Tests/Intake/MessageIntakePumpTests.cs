using Quayside.Pipeline.Contexts;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Intake;

public sealed class MessageIntakePumpTests
{
    [Fact]
    public async Task Run_HandlersBlockTheirThreads_TheOthersAreSettled()
    {
        using ManualResetEventSlim release = new();
        await using IntakeFixture fixture = new(BlockOn(release), concurrency: 64);
        TestMessage[] blocked = [.. Enumerable.Range(0, Environment.ProcessorCount).Select(_ => new TestMessage { Id = "block" })];
        TestMessage[] others = [.. Enumerable.Range(0, 40).Select(_ => new TestMessage())];
        AcceptAll(fixture, [.. blocked, .. others]);

        foreach (TestMessage other in others)
        {
            (await other.Settled).ShouldBe(Settlement.Complete);
        }

        blocked.ShouldAllBe(message => !message.IsSettled);
        release.Set();
        await Task.WhenAll(blocked.Select(message => message.Settled));
    }

    [Fact]
    public async Task Accept_ManyConcurrently_ShareWorkItemsAndLeaveThePoolToOthersInBetween()
    {
        await using IntakeFixture fixture = new(concurrency: 256);
        TestMessage[] messages = [.. Enumerable.Range(0, 256).Select(_ => new TestMessage())];

        AcceptAll(fixture, messages);
        await Task.WhenAll(messages.Select(message => message.Settled));
        await fixture.DrainAsync();

        // A pump runs 64 messages at most.
        fixture.Intake.WorkItems.ShouldBeInRange(4, 128);
    }

    [Fact]
    public async Task Settle_TheNextMessageOfThePumpBlocks_TheSlotIsFreeForAnother()
    {
        using ManualResetEventSlim release = new();
        await using IntakeFixture fixture = new(BlockOn(release), concurrency: 8);
        TestMessage quick = new();
        TestMessage blocked = new() { Id = "block" };
        AcceptAll(fixture, [quick, blocked]);
        await quick.Settled;

        Task<int> all = fixture.Intake.ReserveSlotsAsync(7, 7, TestContext.Current.CancellationToken).AsTask();
        while (!all.IsCompleted)
        {
            // The waiting source is looked after twice per second.
            fixture.Time.Advance(TimeSpan.FromMilliseconds(500));
            await Task.Yield();
        }

        (await all).ShouldBe(7);
        blocked.IsSettled.ShouldBeFalse();
        fixture.Intake.Release(7);
        release.Set();
        await blocked.Settled;
    }

    [Fact]
    public async Task Run_AnotherRouteIsBusyWithoutEnd_EachMessageIsSettled()
    {
        await using IntakeFixture busy = new(concurrency: 256);
        await using IntakeFixture quiet = new();
        bool isOver = false;
        int handled = 0;
        TaskCompletionSource isBusy = new(TaskCreationOptions.RunContinuationsAsynchronously);
        Task[] feeders = [.. Enumerable.Range(0, 2 * Environment.ProcessorCount).Select(_ => Task.Run(async () =>
        {
            while (!Volatile.Read(ref isOver))
            {
                TestMessage[] messages =
                    [.. Enumerable.Range(0, await busy.Intake.ReserveSlotsAsync(1, 64, CancellationToken.None)).Select(_ => new TestMessage())];
                busy.Intake.Accept(messages);
                if (Interlocked.Add(ref handled, messages.Length) > 1_000)
                {
                    isBusy.TrySetResult();
                }
            }
        }))];
        await isBusy.Task;

        for (int i = 0; i < 100; i++)
        {
            (await quiet.RunAsync().WaitAsync(TestMessage.WaitLimit)).ShouldBe(Settlement.Complete);
        }

        isOver = true;
        await Task.WhenAll(feeders);
    }

    private static void AcceptAll(IntakeFixture fixture, TestMessage[] messages)
    {
        fixture.Reserve(messages.Length);
        fixture.Intake.Accept(messages);
    }

    private static Func<MessageContext, ValueTask> BlockOn(ManualResetEventSlim release) => context =>
    {
        if (context.Message.SourceId.Span.SequenceEqual("block"u8))
        {
            release.Wait(TimeSpan.FromSeconds(30)).ShouldBeTrue();
        }

        return IntakeFixture.CompleteAsync(context);
    };
}
