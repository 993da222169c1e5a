using System.Collections.Concurrent;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Sources.InMemory;

/// <content>Writing dead letters: of dead-lettered messages, and of unsettled messages at a shutdown.</content>
internal sealed partial class InMemoryMessages<T>
{
    // Writing a dead letter waits for the disk, not for the CPU; 8 writes keep a disk busy.
    private const int SpillParallelism = 8;

    private const string OutOfTime = "the time for writing them ended";

    // With ids of 64 bytes, a line stays below the limits of log collectors.
    private const int LostPerLine = 50;

    // With a full disk, every write fails.
    private static readonly TimeSpan LogInterval = TimeSpan.FromSeconds(10);

    private static readonly Backoff DeadLetterBackoff = new(TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(30));

    // The folder may accept at the next attempt what it did not at the last.
    private static readonly TimeSpan SpillPause = TimeSpan.FromMilliseconds(250);

    private static readonly Settlement Unprocessed = Settlement.DeadLetter(
        InMemoryLog.UnprocessedReason, "The worker stopped before the message was stored; the message itself is not at fault.");

    /// <summary>
    /// Closes the queue. Each unsettled message, in flight or not, is answered to its sender or written to the dead letters; one that is not
    /// written in time is lost, counted, and logged with its id. A message in flight stays readable for the route until the route settles it.
    /// </summary>
    /// <param name="cancellationToken">Cancelled when the time for closing ends; the method then returns, even while the disk hangs.</param>
    public async Task CloseAsync(CancellationToken cancellationToken)
    {
        _closing = cancellationToken;
        List<T> rest = _delayed.Close();
        _ready.Close();
        _ready.Collect();
        while (_ready.TryTake(out T? ready))
        {
            rest.Add(ready);
        }

        foreach (T message in rest)
        {
            Left(message);
        }

        rest.AddRange(TakeAll(InMemoryStage.InFlight));
        ConcurrentQueue<LostMessage> lost = [];
        if (rest.Count > 0)
        {
            await SpillAsync(rest, lost);
        }

        await WaitForSettlementsAsync(cancellationToken);
        foreach (T message in TakeAll(InMemoryStage.Settling))
        {
            if (!TryReturnToSender(message))
            {
                lost.Enqueue(LostMessage.Of(message, "its dead letter was not written in time"));
                Leave(message);
            }
        }

        Report(lost);

        // Messages that were abandoned during the close: with its time their attempts end, and they report what is lost.
        await _returning.WhenNoneAsync();
    }

    private async Task DeadLetterAsync(T message, Settlement settlement)
    {
        _writes.Begin();
        try
        {
            string? error = await TryWriteDeadLetterAsync(message, settlement, CancellationToken.None);
            if (error is null)
            {
                CountDeadLetter(settlement.Reason, settlement.ExceptionType);
                message.Conclude(settlement);
                Settled(message);
                return;
            }

            _services.Metrics?.MessageReturned();
            TimeSpan delay = DeadLetterBackoff.After(++message.DeadLetterFailures);
            InMemoryLog.DeadLetterFailed(_throttled, _services.Route, _services.Source, error, DurationText.Of(delay));
            await AbandonAsync(message, delay);
        }
        finally
        {
            _writes.End();
        }
    }

    /// <summary>Keeps an abandoned message for redelivery, unless the shutdown already owns it.</summary>
    private ValueTask AbandonAsync(T message, TimeSpan delay)
    {
        // Counted until the message is queued or being spilled, so that a concurrent close waits.
        _returning.Begin();
        try
        {
            if (message.TryMove(InMemoryStage.Settling, InMemoryStage.Kept))
            {
                return ReturnAsync(message, delay);
            }

            Settled(message);
            return default;
        }
        finally
        {
            _returning.End();
        }
    }

    /// <summary>Spills a message that was abandoned during or after the close.</summary>
    private async Task SpillLateAsync(T message)
    {
        _returning.Begin();
        try
        {
            ConcurrentQueue<LostMessage> lost = [];
            await SpillAsync([message], lost);
            Report(lost);
        }
        finally
        {
            _returning.End();
        }
    }

    private async Task SpillAsync(IReadOnlyCollection<T> messages, ConcurrentQueue<LostMessage> lost)
    {
        int spilled = 0;
        ParallelOptions parallel = new() { MaxDegreeOfParallelism = SpillParallelism, CancellationToken = CancellationToken.None };
        ConcurrentQueue<T> rest = new(messages.Where(message => !TryReturnToSender(message)));
        while (!rest.IsEmpty)
        {
            ConcurrentQueue<T> failed = [];
            await Parallel.ForEachAsync(
                rest, parallel, async (message, _) => await SpillAsync(message, lost, failed, () => Interlocked.Increment(ref spilled)));
            rest = failed;
            if (!rest.IsEmpty)
            {
                await Task.Delay(SpillPause, _services.Time, _closing).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        }

        if (spilled > 0)
        {
            InMemoryLog.Spilled(_services.Logger, _services.Route, _services.Source, spilled);
        }
    }

    private bool TryReturnToSender(T message)
    {
        message.IsReturnedToSender = message.Conclude(Settlement.Abandon(TimeSpan.Zero));
        if (!message.IsReturnedToSender)
        {
            return false;
        }

        Leave(message);
        return true;
    }

    /// <summary>Writes a message to the dead letters. When that fails it is to be tried again, until the time for closing has ended: then it is lost.</summary>
    private async Task SpillAsync(T message, ConcurrentQueue<LostMessage> lost, ConcurrentQueue<T> failed, Action spilled)
    {
        Task<string?> writing = TryWriteDeadLetterAsync(message, Unprocessed, _closing);
        string? error;
        try
        {
            error = await writing.WaitAsync(_closing);
        }
        catch (OperationCanceledException)
        {
            // A hanging write reads the body until it ends.
            lost.Enqueue(LostMessage.Of(message, message.SpillError ?? "writing its dead letter hangs"));
            _ = LeaveAfterAsync(writing, message);
            return;
        }

        if (error is null)
        {
            CountDeadLetter(InMemoryLog.UnprocessedReason);
            spilled();
        }
        else if (!_closing.IsCancellationRequested)
        {
            message.SpillError = error;
            failed.Enqueue(message);
            return;
        }
        else
        {
            lost.Enqueue(LostMessage.Of(message, message.SpillError ?? error));
        }

        Leave(message);
    }

    private async Task LeaveAfterAsync(Task writing, T message)
    {
        await writing;
        Leave(message);
    }

    /// <summary>The shutdown is done with the message: the later of shutdown and settlement forgets it.</summary>
    private void Leave(T message)
    {
        if (!message.TryMove(InMemoryStage.Spilling, InMemoryStage.Spilled))
        {
            ForgetLate(message);
        }
    }

    /// <summary>The settlement is done: the later of shutdown and settlement forgets the message.</summary>
    private void Settled(T message)
    {
        if (!message.TryMove(InMemoryStage.Spilling, InMemoryStage.SettledLate))
        {
            ForgetLate(message);
        }
    }

    private void ForgetLate(T message)
    {
        if (message is { IsReturnedToSender: true, IsRefusedAfterShutdown: true })
        {
            // The route counts what it stores and abandons; a dead letter counts when it is written, and this one is not.
            _services.Metrics?.MessageReturned();
        }

        Forget(message);
    }

    /// <summary>Takes every message of a stage for the shutdown.</summary>
    private List<T> TakeAll(InMemoryStage stage)
    {
        lock (_gate)
        {
            return [.. _all.Where(message => message.TryMove(stage, InMemoryStage.Spilling))];
        }
    }

    /// <summary>Waits until every settlement that has begun is done, or the token is cancelled.</summary>
    private async Task WaitForSettlementsAsync(CancellationToken cancellationToken)
    {
        while (IsSettling() && !cancellationToken.IsCancellationRequested)
        {
            Task none = Task.WhenAll(_writes.WhenNoneAsync(), _returning.WhenNoneAsync());
            if (!none.IsCompleted)
            {
                await none.WaitAsync(cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
            else
            {
                // Settlements that write nothing end within microseconds and signal nothing.
                await Task.Yield();
            }
        }
    }

    private bool IsSettling()
    {
        lock (_gate)
        {
            // In this order, since a message is counted before it leaves the stage.
            return _all.Any(message => message.Stage == InMemoryStage.Settling) || _writes.Any || _returning.Any;
        }
    }

    private void CountDeadLetter(string? reason, string? exceptionType = null)
    {
        Interlocked.Increment(ref _deadLettered);
        _services.Metrics?.DeadLetterWritten(reason, exceptionType);
    }

    private void Report(ConcurrentQueue<LostMessage> lost)
    {
        if (lost.IsEmpty)
        {
            return;
        }

        Interlocked.Add(ref _lost, lost.Count);
        _services.Metrics?.MessagesLost(lost.Count);
        foreach (LostMessage[] some in lost.Chunk(LostPerLine))
        {
            InMemoryLog.Lost(
                _services.Logger, _services.Route, some.Length, _services.Source, some[0].Error, string.Join(", ", some.Select(message => message.Id)));
        }
    }

    /// <returns>Null when it was written; otherwise the error.</returns>
    private async Task<string?> TryWriteDeadLetterAsync(T message, Settlement settlement, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return OutOfTime;
        }

        try
        {
            DeadLetter letter = DeadLetter.Create(message, settlement, _services.Source, _services.Route, _services.Time.GetUtcNow());
            await _services.DeadLetters.WriteAsync(letter, message.Body, cancellationToken);
            return null;
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            return OutOfTime;
        }
        catch (Exception exception)
        {
            // No exception of the store may lose the message.
            return $"{exception.GetType().Name}: {UntrustedText.Shorten(exception.Message)}";
        }
    }

    /// <summary>A message that a shutdown could neither store nor write to the dead letters.</summary>
    /// <param name="Id">Its source id, escaped for a log line.</param>
    /// <param name="Error">Why its dead letter was not written.</param>
    private sealed record LostMessage(string Id, string Error)
    {
        public static LostMessage Of(InMemoryMessage message, string error) => new(UntrustedText.Shorten(message.SourceId.Span), error);
    }
}
