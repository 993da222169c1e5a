using Messaging.Sockets.TcpLines;
using Messaging.Sources.Held;
using Messaging.Telemetry;
using Pipeline.Buffers;

namespace Worker.Tests.Sources.Held;

public sealed class HeldMessagesTests
{
    [Fact]
    public async Task Return_MoreBecomeDueThanTheLimit_AllAreRedelivered()
    {
        const int count = 50;
        ManualTimeProvider time = new();
        BufferPool buffers = new();
        using HeldMessages<LineMessage> held = new(
            new HeldServices("tcp-lines", "orders", 1, new MemoryDeadLetters(), time, new RecordingLog().CreateLogger("held")), limit: 2, static held => new LineMessage(held));
        for (int i = 1; i <= count; i++)
        {
            LineMessage message = held.Take();
            message.Open("{}"u8, connection: null, i, buffers, time.GetUtcNow());
            await held.ReturnAsync(message, TimeSpan.FromSeconds(1));
        }

        // No message is accepted yet, as when messages that hang in the sink hold every slot.
        time.Advance(TimeSpan.FromSeconds(2));
        CompletingIntake intake = new();
        await held.DrainAsync(intake, Task.CompletedTask, CancellationToken.None).WaitAsync(TimeSpan.FromSeconds(10));

        intake.Completed.ShouldBe(count);
        held.Unsettled.ShouldBe(0);
        held.Waiting.ShouldBe(0);
    }

    [Fact]
    public async Task WaitForRoom_LargeMessagesWait_EndsWhenTheirBytesAreAccepted()
    {
        const int bytes = 8 << 20;
        int count = (int)(HeldMessages<LineMessage>.WaitingBytesLimit / bytes);
        byte[] line = new byte[bytes];
        ManualTimeProvider time = new();
        BufferPool buffers = new();
        using HeldMessages<LineMessage> held = new(
            new HeldServices("tcp-lines", "orders", 1, new MemoryDeadLetters(), time, new RecordingLog().CreateLogger("held")), limit: 2, static held => new LineMessage(held));
        for (int i = 1; i <= count; i++)
        {
            held.IsFull.ShouldBeFalse();
            LineMessage message = held.Take();
            message.Open(line, connection: null, i, buffers, time.GetUtcNow());
            await held.ReturnAsync(message, TimeSpan.FromSeconds(1));
        }

        held.IsFull.ShouldBeTrue();
        Task room = held.WaitForSpaceAsync(CancellationToken.None);
        room.IsCompleted.ShouldBeFalse();

        time.Advance(TimeSpan.FromSeconds(2));
        await held.DrainAsync(new CompletingIntake(), Task.CompletedTask, CancellationToken.None).WaitAsync(TimeSpan.FromSeconds(30));

        await room.WaitAsync(TimeSpan.FromSeconds(30));
        held.IsFull.ShouldBeFalse();
        held.WaitForSpaceAsync(CancellationToken.None).IsCompleted.ShouldBeTrue();
    }

    [Fact]
    public async Task Settle_DeadLettersCannotBeWritten_OneLogLineCountsThem()
    {
        ManualTimeProvider time = new();
        RecordingLog log = new();
        BufferPool buffers = new();
        MemoryDeadLetters deadLetters = new();
        deadLetters.Fail(int.MaxValue);
        using HeldMessages<LineMessage> held = new(
            new HeldServices("tcp-lines", "orders", 1, deadLetters, time, log.CreateLogger("held")), limit: 2, static held => new LineMessage(held));
        for (int i = 1; i <= 5; i++)
        {
            time.Advance(TimeSpan.FromSeconds(i == 5 ? 11 : 1));
            LineMessage message = held.Take();
            message.Open("{}"u8, connection: null, i, buffers, time.GetUtcNow());
            message.BeginDelivery();
            await held.SettleAsync(message, Pipeline.Settlements.Settlement.DeadLetter("malformed-json", "test"), CancellationToken.None);
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
        using HeldMessages<LineMessage> held = new(
            new HeldServices("tcp-lines", "orders", 1, deadLetters, time, new RecordingLog().CreateLogger("held"), metrics), limit: 2, static held => new LineMessage(held));
        LineMessage message = held.Take();
        message.Open("{}"u8, connection: null, 1, buffers, time.GetUtcNow());
        message.BeginDelivery();

        await message.SettleAsync(Pipeline.Settlements.Settlement.DeadLetter("malformed-json", "test"), CancellationToken.None);
        (metrics.Totals.DeadLetters, metrics.Totals.Returned).ShouldBe((0, 1));

        message.BeginDelivery();
        await message.SettleAsync(Pipeline.Settlements.Settlement.DeadLetter("malformed-json", "test"), CancellationToken.None);
        (metrics.Totals.DeadLetters, metrics.Totals.Returned).ShouldBe((1, 1));
        deadLetters.Messages.ShouldHaveSingleItem();
    }
}
