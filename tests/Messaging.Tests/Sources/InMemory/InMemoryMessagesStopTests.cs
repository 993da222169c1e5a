using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Sockets.TcpLines;
using Quayside.Messaging.Sources.InMemory;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Buffers;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Sources.InMemory;

/// <summary>Messages still in flight when the drain timeout ends, such as in a sink that hangs.</summary>
public sealed class InMemoryMessagesStopTests
{
    // Only a hang takes so long, on a busy machine too.
    private static readonly TimeSpan WaitLimit = TimeSpan.FromMinutes(5);

    private readonly ManualTimeProvider _time = new();
    private readonly RecordingLog _log = new();
    private readonly BufferPool _buffers = new(new PoisoningArrayPool());
    private long _line;

    [Fact]
    public async Task Close_MessageStillInFlight_IsDeadLetteredAndItsBodyStaysReadable()
    {
        MemoryDeadLetters deadLetters = new();
        using InMemoryMessages<LineMessage> inMemory = Create(deadLetters);
        LineMessage message = Deliver(inMemory, "one"u8);

        await inMemory.CloseAsync(CancellationToken.None).WaitAsync(WaitLimit);

        DeadLetteredMessage letter = deadLetters.Messages.ShouldHaveSingleItem();
        letter.Reason.ShouldBe("unprocessed-at-stop");
        letter.Body.ShouldBe("one"u8.ToArray());
        message.Body.ToArray().ShouldBe("one"u8.ToArray(), "The sink's call that hangs still reads it.");
        inMemory.DeadLettered.ShouldBe(1);
        _log.Entries.ShouldContain(entry => entry.Id.Id == 3001);
    }

    [Fact]
    public async Task Settle_AfterTheStopHasDeadLetteredIt_OnlyReturnsTheBuffer()
    {
        MemoryDeadLetters deadLetters = new();
        InMemoryMessages<LineMessage> inMemory = Create(deadLetters);
        LineMessage stored = Deliver(inMemory, "one"u8);
        LineMessage poison = Deliver(inMemory, "two"u8);
        await inMemory.CloseAsync(CancellationToken.None).WaitAsync(WaitLimit);

        await stored.SettleAsync(Settlement.Complete, CancellationToken.None);
        await poison.SettleAsync(Settlement.DeadLetter("malformed-json", "test"), CancellationToken.None);

        deadLetters.Messages.Select(letter => letter.Reason).ShouldBe(["unprocessed-at-stop", "unprocessed-at-stop"]);
        inMemory.Unsettled.ShouldBe(0);
        inMemory.Dispose();
        _buffers.Outstanding.ShouldBe(0);
    }

    [Fact]
    public async Task Settle_DeadLetteredAfterTheStopHasAnsweredItsSender_CountsAsReturned()
    {
        RouteMetrics metrics = new("orders");
        InMemoryMessages<AnsweredMessage> inMemory = new(
            new InMemoryServices("tcp-lines", "orders", 1, new MemoryDeadLetters(), _time, _log.CreateLogger("in-memory"), metrics), limit: 8,
            static inMemory => new AnsweredMessage(inMemory));
        AnsweredMessage message = inMemory.Take();
        message.Open("one"u8, _buffers, _time.GetUtcNow());
        message.BeginDelivery();
        await inMemory.CloseAsync(CancellationToken.None).WaitAsync(WaitLimit);

        await message.SettleAsync(Settlement.DeadLetter("malformed-json", "test"), CancellationToken.None);

        (metrics.Totals.Returned, metrics.Totals.DeadLetters, metrics.Totals.Lost).ShouldBe((1, 0, 0));
        inMemory.Dispose();
        _buffers.Outstanding.ShouldBe(0);
    }

    [Fact]
    public async Task Settle_WhileTheStopDeadLettersIt_KeepsTheBodyUntilItIsWritten()
    {
        TaskCompletionSource gate = new(TaskCreationOptions.RunContinuationsAsynchronously);
        MemoryDeadLetters deadLetters = new() { Gate = gate.Task };
        InMemoryMessages<LineMessage> inMemory = Create(deadLetters);
        LineMessage message = Deliver(inMemory, "one"u8);
        Task closing = inMemory.CloseAsync(CancellationToken.None);

        await message.SettleAsync(Settlement.Complete, CancellationToken.None).AsTask().WaitAsync(WaitLimit);
        gate.SetResult();
        await closing.WaitAsync(WaitLimit);

        deadLetters.Messages.ShouldHaveSingleItem().Body.ShouldBe("one"u8.ToArray());
        inMemory.Unsettled.ShouldBe(0);
        inMemory.Dispose();
        _buffers.Outstanding.ShouldBe(0);
    }

    [Fact]
    public async Task Close_DeadLetterFailsOnce_IsWrittenAtTheNextAttempt()
    {
        MemoryDeadLetters deadLetters = new();
        deadLetters.Fail(times: 1);
        using InMemoryMessages<LineMessage> inMemory = Create(deadLetters);
        Deliver(inMemory, "one"u8);

        Task closing = inMemory.CloseAsync(CancellationToken.None);
        await _time.WaitForTimersAsync(1);
        deadLetters.Messages.ShouldBeEmpty();
        _time.Advance(TimeSpan.FromMilliseconds(250));
        await closing.WaitAsync(WaitLimit);

        deadLetters.Messages.ShouldHaveSingleItem().Body.ShouldBe("one"u8.ToArray());
        (inMemory.DeadLettered, inMemory.Lost).ShouldBe((1, 0));
        _log.Entries.ShouldNotContain(entry => entry.Id.Id == 3002);
    }

    [Fact]
    public async Task Close_DeadLettersHang_EndsInTimeAndNamesWhatIsLost()
    {
        HangingDeadLetters deadLetters = new();
        InMemoryMessages<LineMessage> inMemory = Create(deadLetters);
        LineMessage[] messages = [Deliver(inMemory, "one"u8), Deliver(inMemory, "two"u8)];
        LineMessage waiting = Take(inMemory, "three"u8);
        await inMemory.ReturnAsync(waiting, TimeSpan.FromSeconds(1));
        string[] ids = [.. messages.Append(waiting).Select(IdOf)];
        using CancellationTokenSource limit = new();
        Task closing = inMemory.CloseAsync(limit.Token);
        await deadLetters.Writing(3).WaitAsync(WaitLimit);

        await limit.CancelAsync();
        await closing.WaitAsync(WaitLimit);

        (inMemory.Lost, inMemory.DeadLettered).ShouldBe((3, 0));
        string lost = _log.Entries.Where(entry => entry.Id.Id == 3002).ShouldHaveSingleItem().Text;
        ids.ShouldAllBe(id => lost.Contains(id, StringComparison.Ordinal));
        lost.ShouldContain("3 message(s) of source tcp-lines are LOST");

        // The disk answers late: no buffer is returned twice or too early.
        deadLetters.Release();
        foreach (LineMessage message in messages)
        {
            await message.SettleAsync(Settlement.Complete, CancellationToken.None);
        }

        await Eventually(() => inMemory.Unsettled == 0);
        inMemory.Dispose();
        _buffers.Outstanding.ShouldBe(0);
    }

    [Fact]
    public async Task Close_DeadLetterInProgressHangs_NamesItAsLost()
    {
        HangingDeadLetters deadLetters = new();
        InMemoryMessages<LineMessage> inMemory = Create(deadLetters);
        LineMessage poison = Deliver(inMemory, "no json"u8);
        string id = IdOf(poison);
        Task settling = poison.SettleAsync(Settlement.DeadLetter("malformed-json", "test"), CancellationToken.None).AsTask();
        await deadLetters.Writing(1).WaitAsync(WaitLimit);
        using CancellationTokenSource limit = new();
        Task closing = inMemory.CloseAsync(limit.Token);
        closing.IsCompleted.ShouldBeFalse("It may still be written.");

        await limit.CancelAsync();
        await closing.WaitAsync(WaitLimit);

        inMemory.Lost.ShouldBe(1);
        _log.Entries.Where(entry => entry.Id.Id == 3002).ShouldHaveSingleItem().Text.ShouldContain(id);
        deadLetters.Release();
        await settling.WaitAsync(WaitLimit);
        inMemory.Unsettled.ShouldBe(0);
        inMemory.Dispose();
        _buffers.Outstanding.ShouldBe(0);
    }

    [Fact]
    public async Task Close_DeadLetterInProgressFailsAndEveryAttemptAfterIt_NamesItAsLostBeforeItEnds()
    {
        HangingDeadLetters deadLetters = new();
        using InMemoryMessages<LineMessage> inMemory = Create(deadLetters);
        LineMessage poison = Deliver(inMemory, "no json"u8);
        string id = IdOf(poison);
        Task settling = poison.SettleAsync(Settlement.DeadLetter("malformed-json", "test"), CancellationToken.None).AsTask();
        await deadLetters.Writing(1).WaitAsync(WaitLimit);
        using CancellationTokenSource limit = new();
        Task closing = inMemory.CloseAsync(limit.Token);
        deadLetters.Fail();
        await _time.WaitForTimersAsync(1);

        await limit.CancelAsync();
        await closing.WaitAsync(WaitLimit);

        inMemory.Lost.ShouldBe(1);
        _log.Entries.Where(entry => entry.Id.Id == 3002).ShouldHaveSingleItem().Text.ShouldContain(id);
        await settling.WaitAsync(WaitLimit);
    }

    [Fact]
    public async Task Close_DeadLetterInProgressEnds_WaitsForItAndLosesNothing()
    {
        HangingDeadLetters deadLetters = new();
        InMemoryMessages<LineMessage> inMemory = Create(deadLetters);
        LineMessage poison = Deliver(inMemory, "no json"u8);
        Task settling = poison.SettleAsync(Settlement.DeadLetter("malformed-json", "test"), CancellationToken.None).AsTask();
        await deadLetters.Writing(1).WaitAsync(WaitLimit);
        Task closing = inMemory.CloseAsync(CancellationToken.None);

        deadLetters.Release();
        await closing.WaitAsync(WaitLimit);

        await settling.WaitAsync(WaitLimit);
        (inMemory.DeadLettered, inMemory.Lost, inMemory.Unsettled).ShouldBe((1, 0, 0));
        inMemory.Dispose();
        _buffers.Outstanding.ShouldBe(0);
    }

    private static string IdOf(LineMessage message) => System.Text.Encoding.UTF8.GetString(message.SourceId.Span);

    private static async Task Eventually(Func<bool> condition)
    {
        for (int attempt = 0; !condition(); attempt++)
        {
            attempt.ShouldBeLessThan(3_000);
            await Task.Delay(10);
        }
    }

    private InMemoryMessages<LineMessage> Create(IDeadLetterStore deadLetters) =>
        new(new InMemoryServices("tcp-lines", "orders", 1, deadLetters, _time, _log.CreateLogger("in-memory")), limit: 8,
            static inMemory => new LineMessage(inMemory));

    private LineMessage Take(InMemoryMessages<LineMessage> inMemory, ReadOnlySpan<byte> line)
    {
        LineMessage message = inMemory.Take();
        message.Open(line, connection: null, ++_line, _buffers, _time.GetUtcNow());
        return message;
    }

    private LineMessage Deliver(InMemoryMessages<LineMessage> inMemory, ReadOnlySpan<byte> line)
    {
        LineMessage message = Take(inMemory, line);
        message.BeginDelivery();
        return message;
    }

    /// <summary>A message whose sender waits for the answer.</summary>
    private sealed class AnsweredMessage(InMemoryMessages<AnsweredMessage> inMemory) : InMemoryMessage
    {
        public void Open(ReadOnlySpan<byte> body, BufferPool buffers, DateTimeOffset now) => Fill(body, buffers, now);

        protected internal override bool Conclude(in Settlement settlement) => true;

        protected override ValueTask SettleCoreAsync(Settlement settlement, CancellationToken cancellationToken) =>
            inMemory.SettleAsync(this, settlement, cancellationToken);
    }

    /// <summary>A folder on a hanging disk: no token cancels its calls, and it reads the body when they end.</summary>
    private sealed class HangingDeadLetters : IDeadLetterStore
    {
        private readonly TaskCompletionSource _released = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private int _writing;

        public async Task Writing(int count)
        {
            while (Volatile.Read(ref _writing) < count)
            {
                await Task.Delay(5);
            }
        }

        public void Release() => _released.SetResult();

        /// <summary>Every write fails, also those in progress.</summary>
        public void Fail() => _released.SetException(new IOException("full"));

        public async ValueTask<string> WriteAsync(DeadLetter letter, ReadOnlyMemory<byte> body, CancellationToken cancellationToken)
        {
            byte[] before = body.ToArray();
            Interlocked.Increment(ref _writing);
            await _released.Task;
            body.ToArray().ShouldBe(before);
            return letter.SourceId;
        }
    }
}
