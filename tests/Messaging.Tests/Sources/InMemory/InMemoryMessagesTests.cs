using Microsoft.Extensions.Logging.Abstractions;
using Quayside.Messaging.Sockets.TcpLines;
using Quayside.Messaging.Sources.InMemory;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Buffers;

namespace Messaging.Tests.Sources.InMemory;

public sealed class InMemoryMessagesTests
{
    [Fact]
    public async Task Return_MoreBecomeDueThanTheLimit_AllAreRedelivered()
    {
        const int count = 50;
        ManualTimeProvider time = new();
        BufferPool buffers = new();
        using InMemoryMessages<LineMessage> inMemory = new(
            new InMemoryServices("tcp-lines", "orders", 1, new MemoryDeadLetters(), time, new RecordingLog().CreateLogger("in-memory")), limit: 2,
            static inMemory => new LineMessage(inMemory));
        for (int i = 1; i <= count; i++)
        {
            LineMessage message = inMemory.Take();
            message.Open("{}"u8, connection: null, i, buffers, time.GetUtcNow());
            await inMemory.ReturnAsync(message, TimeSpan.FromSeconds(1));
        }

        // No message is accepted yet, as when messages that hang in the sink hold every slot.
        time.Advance(TimeSpan.FromSeconds(2));
        CompletingIntake intake = new();
        await inMemory.DrainAsync(intake, Task.CompletedTask, CancellationToken.None).WaitAsync(TimeSpan.FromSeconds(10));

        intake.Completed.ShouldBe(count);
        inMemory.Unsettled.ShouldBe(0);
        inMemory.Waiting.ShouldBe(0);
    }

    [Fact]
    public async Task Forget_WhileTheQueueIsDisposed_ReturnsItsBuffer()
    {
        const int rounds = 5_000;
        BufferPool buffers = new();
        InMemoryServices services = new("tcp-lines", "orders", 1, new MemoryDeadLetters(), TimeProvider.System, NullLogger.Instance);
        InMemoryMessages<LineMessage>[] queues =
            [.. Enumerable.Range(0, rounds).Select(_ => new InMemoryMessages<LineMessage>(services, limit: 2, static inMemory => new LineMessage(inMemory)))];
        using Barrier round = new(2);

        // Both meet at each queue: one forgets its message, the other disposes it.
        Task forgetting = Task.Factory.StartNew(
            () =>
            {
                foreach (InMemoryMessages<LineMessage> inMemory in queues)
                {
                    LineMessage message = inMemory.Take();
                    message.Open("{}"u8, connection: null, 1, buffers, DateTimeOffset.UnixEpoch);
                    round.SignalAndWait(TimeSpan.FromSeconds(30)).ShouldBeTrue();
                    inMemory.Forget(message);
                }
            },
            CancellationToken.None,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);
        foreach (InMemoryMessages<LineMessage> inMemory in queues)
        {
            round.SignalAndWait(TimeSpan.FromSeconds(30)).ShouldBeTrue();
            inMemory.Dispose();
        }

        await forgetting;

        buffers.Outstanding.ShouldBe(0);
    }

    [Fact]
    public async Task WaitForRoom_LargeMessagesWait_EndsWhenTheirBytesAreAccepted()
    {
        const int bytes = 8 << 20;
        int count = (int)(InMemoryMessages<LineMessage>.WaitingBytesLimit / bytes);
        byte[] line = new byte[bytes];
        ManualTimeProvider time = new();
        BufferPool buffers = new();
        using InMemoryMessages<LineMessage> inMemory = new(
            new InMemoryServices("tcp-lines", "orders", 1, new MemoryDeadLetters(), time, new RecordingLog().CreateLogger("in-memory")), limit: 2,
            static inMemory => new LineMessage(inMemory));
        for (int i = 1; i <= count; i++)
        {
            inMemory.IsFull.ShouldBeFalse();
            LineMessage message = inMemory.Take();
            message.Open(line, connection: null, i, buffers, time.GetUtcNow());
            await inMemory.ReturnAsync(message, TimeSpan.FromSeconds(1));
        }

        inMemory.IsFull.ShouldBeTrue();
        Task room = inMemory.WaitForSpaceAsync(CancellationToken.None);
        room.IsCompleted.ShouldBeFalse();

        time.Advance(TimeSpan.FromSeconds(2));
        await inMemory.DrainAsync(new CompletingIntake(), Task.CompletedTask, CancellationToken.None).WaitAsync(TimeSpan.FromSeconds(30));

        await room.WaitAsync(TimeSpan.FromSeconds(30));
        inMemory.IsFull.ShouldBeFalse();
        inMemory.WaitForSpaceAsync(CancellationToken.None).IsCompleted.ShouldBeTrue();
    }

    [Fact]
    public async Task Settle_DeadLettersCannotBeWritten_OneLogLineCountsThem()
    {
        ManualTimeProvider time = new();
        RecordingLog log = new();
        BufferPool buffers = new();
        MemoryDeadLetters deadLetters = new();
        deadLetters.Fail(int.MaxValue);
        using InMemoryMessages<LineMessage> inMemory = new(
            new InMemoryServices("tcp-lines", "orders", 1, deadLetters, time, log.CreateLogger("in-memory")), limit: 2,
            static inMemory => new LineMessage(inMemory));
        for (int i = 1; i <= 5; i++)
        {
            time.Advance(TimeSpan.FromSeconds(i == 5 ? 11 : 1));
            LineMessage message = inMemory.Take();
            message.Open("{}"u8, connection: null, i, buffers, time.GetUtcNow());
            message.BeginDelivery();
            await inMemory.SettleAsync(message, Quayside.Pipeline.Settlements.Settlement.DeadLetter("malformed-json", "test"), CancellationToken.None);
        }

        string[] lines = [.. log.Entries.Where(entry => entry.Id.Id == 3000).Select(entry => entry.Text)];
        lines.Length.ShouldBe(2);
        lines[1].ShouldContain("3 similar");
    }

    [Fact]
    public async Task Settle_DeadLetterFailsThenIsWritten_IsCountedOnce()
    {
        ManualTimeProvider time = new();
        BufferPool buffers = new();
        MemoryDeadLetters deadLetters = new();
        deadLetters.Fail(1);
        RouteMetrics metrics = new("orders");
        using InMemoryMessages<LineMessage> inMemory = new(
            new InMemoryServices("tcp-lines", "orders", 1, deadLetters, time, new RecordingLog().CreateLogger("in-memory"), metrics), limit: 2,
            static inMemory => new LineMessage(inMemory));
        LineMessage message = inMemory.Take();
        message.Open("{}"u8, connection: null, 1, buffers, time.GetUtcNow());
        message.BeginDelivery();

        await message.SettleAsync(Quayside.Pipeline.Settlements.Settlement.DeadLetter("malformed-json", "test"), CancellationToken.None);
        (metrics.Totals.DeadLetters, metrics.Totals.Returned).ShouldBe((0, 1));

        message.BeginDelivery();
        await message.SettleAsync(Quayside.Pipeline.Settlements.Settlement.DeadLetter("malformed-json", "test"), CancellationToken.None);
        (metrics.Totals.DeadLetters, metrics.Totals.Returned).ShouldBe((1, 1));
        deadLetters.Messages.ShouldHaveSingleItem();
    }
}
