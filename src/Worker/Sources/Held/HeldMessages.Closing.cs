using Pipeline.Settlements;
using Worker.DeadLetters;
using Worker.Recoverability;

namespace Worker.Sources.Held;

/// <content>Dead letters, of what was given up and of what a stop leaves over.</content>
internal sealed partial class HeldMessages<T>
{
    // Writing a dead letter waits for the disk, not for the processor; 8 keep a disk busy.
    private const int SpillParallelism = 8;

    // A full disk fails every one of them.
    private static readonly TimeSpan LogInterval = TimeSpan.FromSeconds(10);

    private static readonly Backoff DeadLetterBackoff = new(TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(30));

    /// <summary>
    /// Ends the waiting. What is still here is told to its sender, or goes to the dead letters to be redriven; what cannot be
    /// written there is lost, counted and logged. A message settled later is dealt with then.
    /// </summary>
    public async Task CloseAsync(CancellationToken cancellationToken)
    {
        List<T> rest = _delayed.Close();
        _ready.Writer.TryComplete();
        while (_ready.Reader.TryRead(out T? message))
        {
            if (message is not null)
            {
                rest.Add(message);
            }
        }

        foreach (T message in rest)
        {
            Left(message);
        }

        if (rest.Count > 0)
        {
            await SpillAsync(rest, cancellationToken);
        }
    }

    private async Task DeadLetterAsync(T message, Settlement settlement)
    {
        string? error = await TryWriteDeadLetterAsync(message, settlement, CancellationToken.None);
        if (error is null)
        {
            Interlocked.Increment(ref _deadLettered);
            message.Conclude(settlement);
            Forget(message);
            return;
        }

        TimeSpan delay = DeadLetterBackoff.After(++message.DeadLetterFailures);
        if (_deadLetterLog.ShouldLog(out long suppressed))
        {
            HeldLog.DeadLetterFailed(_services.Logger, _services.Route, _services.Source, error, delay, suppressed);
        }

        await ReturnAsync(message, delay);
    }

    private async Task SpillAsync(IReadOnlyCollection<T> messages, CancellationToken cancellationToken)
    {
        int spilled = 0;
        int lost = 0;
        string? lastError = null;
        ParallelOptions parallel = new() { MaxDegreeOfParallelism = SpillParallelism, CancellationToken = CancellationToken.None };
        await Parallel.ForEachAsync(messages, parallel, async (message, _) =>
        {
            if (!message.Conclude(Settlement.Abandon(TimeSpan.Zero)))
            {
                Settlement settlement = Settlement.DeadLetter(HeldLog.UnprocessedReason, "The worker stopped before the message was worked off; nothing is known against it.");
                if (await TryWriteDeadLetterAsync(message, settlement, cancellationToken) is { } error)
                {
                    lastError = error;
                    Interlocked.Increment(ref lost);
                    Interlocked.Increment(ref _lost);
                }
                else
                {
                    Interlocked.Increment(ref spilled);
                    Interlocked.Increment(ref _deadLettered);
                }
            }

            Forget(message);
        });
        if (spilled > 0)
        {
            HeldLog.Spilled(_services.Logger, _services.Route, _services.Source, spilled);
        }

        if (lost > 0)
        {
            HeldLog.Lost(_services.Logger, _services.Route, _services.Source, lost, lastError!);
        }
    }

    /// <returns>Null when it was written; else what went wrong.</returns>
    private async ValueTask<string?> TryWriteDeadLetterAsync(T message, Settlement settlement, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return "the time for it was over";
        }

        try
        {
            DeadLetter letter = SourceDeadLetter.Create(message, settlement, _services.Source, _services.Route, _services.Time.GetUtcNow());
            await _services.DeadLetters.WriteAsync(letter, message.Body, cancellationToken);
            return null;
        }
        catch (Exception exception)
        {
            // Whatever the store throws, the message must not be given up.
            return $"{exception.GetType().Name}: {exception.Message}";
        }
    }
}
