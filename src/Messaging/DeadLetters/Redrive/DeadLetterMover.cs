using Quayside.Messaging.Configuration;
using Quayside.Messaging.Publishing;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.DeadLetters.Redrive;

/// <summary>
/// Moves dead letters of a queue: sends or stores each first and deletes it afterwards, so that a crash duplicates a message but never loses one. Tries each
/// dead letter that was there at the start once; one that arrives meanwhile stays, and so does one whose message this run sent and which is a dead letter
/// again. Those that stay are given back at the end.
/// </summary>
/// <param name="queue">The queue; the caller disposes it.</param>
/// <param name="request">What to move.</param>
/// <param name="services">The clock and the output.</param>
/// <param name="keep">Stores a dead letter in the folder; null to send their messages.</param>
internal sealed class DeadLetterMover(
    IDeadLetterQueue queue, RedriveRequest request, CommandServices services,
    Func<DeadLetter, ReadOnlyMemory<byte>, CancellationToken, Task<SentTo>>? keep = null)
{
    // A queue may answer empty while it holds messages; this many answers in a row without a new message mean done.
    private const int EmptyReceives = 3;

    // A dead letter that was sent but not deleted would be sent again by the next redrive.
    private const int DeleteAttempts = 3;

    // This many failed calls in a row show that the service fails, not the dead letters: trying each of thousands would take hours.
    private const int FailedCalls = 5;

    // Together below the 10 s that an interrupted command has.
    private static readonly TimeSpan StopLimit = TimeSpan.FromSeconds(3);
    private static readonly TimeSpan InterruptedReleaseLimit = TimeSpan.FromSeconds(4);

    private readonly RedriveProgress _progress = new(request, total: 0, services.Time, services.Output);
    private readonly HashSet<string> _seen = new(StringComparer.Ordinal);

    // Those that were received and stay, so far, with their receipts.
    private readonly Dictionary<string, object?> _staying = new(StringComparer.Ordinal);

    // Sent or stored, and not deleted yet; they are among those that stay.
    private readonly Dictionary<string, (string Reason, string Name, SentTo To, string Error)> _undeleted = new(StringComparer.Ordinal);

    // Of a queue that could be looked at: those that are asked for, and were not received yet.
    private HashSet<string>? _wanted;
    private (long Count, long Hidden) _held;
    private int _newcomers;
    private int _failedCalls;
    private string? _ended;

    /// <summary>So many more than were counted at the start end a run: without a bound it would never end while more arrive than it sends.</summary>
    public static long MaxNewcomers(long held) => Math.Max(100, held);

    private bool IsDone => _wanted is { } wanted ? wanted.Count == 0 : _progress.HasAll || _progress.HasAllNames;

    /// <summary>Runs it, once.</summary>
    /// <exception cref="StartupException">The queue is missing, refuses access or is unreachable, and nothing was moved.</exception>
    public async Task<RedriveResult> RunAsync(CancellationToken stop)
    {
        request.Started?.Invoke(_progress);

        // After a signal, running calls get time to end: a message that was sent must also be deleted here.
        using CancellationTokenSource calls = new(Timeout.InfiniteTimeSpan, services.Time);
        using CancellationTokenRegistration link = stop.UnsafeRegister(static source => ((CancellationTokenSource)source!).CancelAfter(StopLimit), calls);
        try
        {
            _held = await queue.CountAsync(stop);
            _progress.Total = _held.Count;
            await PeekAsync(stop);
            await ReceiveAllAsync(stop, calls.Token);
            await PeekAtNewcomersAsync(stop);
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            _ended = RedriveProgress.Interrupted;
        }
        catch (Exception exception) when (HasReport(exception) && EndOf(exception) is not null)
        {
            _ended = $"{EndOf(exception)!.Message.TrimEnd('.')}. Run redrive again for the rest.";
        }
        catch (Exception exception) when (exception is not StartupException && EndOf(exception) is not null)
        {
            throw EndOf(exception)!;
        }
        finally
        {
            await ReleaseAsync(stop.IsCancellationRequested);
        }

        return ToResult();
    }

    private StartupException? EndOf(Exception exception) => exception as StartupException ?? queue.Explain(exception)?.Ended;

    // A wrong argument, such as a route that the worker does not have, shows at the first send: its exit code then says more than the counts.
    private bool HasReport(Exception exception) => _progress.Sent + _progress.LeftCount + _undeleted.Count > 0
        || (exception is not StartupException && (_seen.Count > 0 || (request.DryRun && _progress.Found > 0)));

    private RedriveResult ToResult()
    {
        foreach ((string reason, string name, _, string error) in _undeleted.Values)
        {
            _progress.AddLeft(reason, name, $"{(keep is null ? "sent" : "stored")}, but not deleted: {error}");
        }

        if (_newcomers > 0)
        {
            _progress.AddNote($"{_newcomers:N0} dead letter(s) arrived while redrive ran; they stay.");
        }

        foreach (string note in queue.Notes)
        {
            _progress.AddNote(note);
        }

        // A queue's count may be approximate, but what another receiver has cannot be received.
        long missed = _wanted?.Count ?? (IsDone ? 0 : Math.Min(_held.Hidden, _held.Count - _seen.Count));
        return _progress.ToResult(_ended ?? queue.Problem ?? (missed > 0
            ? $"{missed:N0} dead letter(s) could not be received: another receiver, such as a second redrive, or one that was killed, has taken them. What it "
                + $"has not moved, it hides until {queue.HiddenUntil}. Run redrive again then."
            : null));
    }

    /// <summary>Chooses the dead letters, where they can be looked at without receiving them: those that stay are then not hidden from others.</summary>
    private async Task PeekAsync(CancellationToken stop)
    {
        if (queue.PeekAsync(stop) is not { } letters)
        {
            return;
        }

        _wanted = new(StringComparer.Ordinal);
        long count = 0;
        await foreach (QueuedDeadLetter letter in letters)
        {
            count++;
            if (!_progress.HasAll && _progress.Wants(letter))
            {
                _wanted.Add(letter.Key);
                AddFound(letter);
            }
        }

        _held = (count, 0);
        _progress.Total = _wanted.Count;
        if (request.DryRun)
        {
            _wanted.Clear();
        }
    }

    private async Task ReceiveAllAsync(CancellationToken stop, CancellationToken calls)
    {
        (int empty, int repeated, int batch) = (0, 0, 1);

        // Dead letters that stay become visible again after a while and are received again: so many answers may contain nothing else.
        while (_ended is null
            && (!IsDone || _undeleted.Count > 0)
            && empty < EmptyReceives
            && repeated < EmptyReceives + (_staying.Count / batch))
        {
            stop.ThrowIfCancellationRequested();
            _progress.Report();
            if (await queue.ReceiveAsync(calls) is not { } letters)
            {
                break;
            }

            bool bringsNew = await TakeAsync(letters, stop, calls);
            batch = Math.Max(batch, letters.Count);
            empty = letters.Count == 0 ? empty + 1 : 0;
            repeated = letters.Count == 0 || bringsNew ? 0 : repeated + 1;
            if (_seen.Count - _held.Count is var more && more > MaxNewcomers(_held.Count))
            {
                _ended ??= $"the dead-letter queue counted {_held.Count:N0} message(s) when redrive began, and {more:N0} more were received: more arrive than "
                    + "redrive sends, or the count was too low. Fix their cause, then run redrive again.";
            }
        }
    }

    /// <returns>True when at least one had not been received before.</returns>
    private async ValueTask<bool> TakeAsync(IReadOnlyList<QueuedDeadLetter> letters, CancellationToken stop, CancellationToken calls)
    {
        List<QueuedDeadLetter> unseen = new(letters.Count);
        foreach (QueuedDeadLetter letter in letters)
        {
            if (_seen.Add(letter.Key))
            {
                unseen.Add(letter);
            }
            else if (await DeleteAgainAsync(letter, calls))
            {
                continue;
            }

            _staying[letter.Key] = letter.Receipt;
        }

        foreach (QueuedDeadLetter letter in unseen)
        {
            if (_ended is null && IsAskedFor(letter) && await MoveAsync(letter, stop, calls))
            {
                _staying.Remove(letter.Key);
            }
        }

        return unseen.Count > 0;
    }

    /// <summary>Deletes one that was received again although its message was sent: its lock had ended, or a standard queue of SQS kept a copy.</summary>
    private async ValueTask<bool> DeleteAgainAsync(QueuedDeadLetter letter, CancellationToken calls)
    {
        if ((_staying.ContainsKey(letter.Key) && !_undeleted.ContainsKey(letter.Key)) || await DeleteAsync(letter, calls) is not null)
        {
            return false;
        }

        if (_undeleted.Remove(letter.Key, out (string Reason, string Name, SentTo To, string Error) sent))
        {
            _staying.Remove(letter.Key);
            _progress.AddSent(sent.Reason, toQueue: sent.To == SentTo.Queue);
        }

        return true;
    }

    private bool IsAskedFor(QueuedDeadLetter letter)
    {
        if (_wanted is { } wanted)
        {
            return wanted.Contains(letter.Key);
        }

        if (CountNewcomer(letter) || _progress.HasAll || !_progress.Wants(letter))
        {
            return false;
        }

        if (!request.DryRun && _progress.Found >= _held.Count)
        {
            _ended = $"the dead-letter queue counted {_held.Count:N0} message(s) when redrive began, but holds more. The count is approximate, and may be up "
                + "to a minute old: run redrive again for the rest.";
            return false;
        }

        return true;
    }

    private bool CountNewcomer(QueuedDeadLetter letter)
    {
        if (letter.SentAs is { } sentAs)
        {
            _progress.AddAgain(sentAs, $"{letter.ShownReason}, now {letter.Name}");
            return true;
        }

        _newcomers += letter.IsNewcomer ? 1 : 0;
        return letter.IsNewcomer;
    }

    private void AddFound(QueuedDeadLetter letter)
    {
        _progress.AddFound(letter.ShownReason);
        if (letter.Problem is { } problem)
        {
            _progress.AddLeft(letter.ShownReason, letter.Name, problem);
        }
        else if (request.DryRun)
        {
            _progress.List(letter);
        }
    }

    /// <returns>False when the dead letter stays.</returns>
    private async ValueTask<bool> MoveAsync(QueuedDeadLetter letter, CancellationToken stop, CancellationToken calls)
    {
        bool stays = request.DryRun || letter.Problem is not null;
        if (!stays)
        {
            await _progress.WaitForRateAsync(stop);
            stop.ThrowIfCancellationRequested();
        }

        // Those that were looked at are counted already.
        if (_wanted?.Remove(letter.Key) != true)
        {
            AddFound(letter);
        }

        if (stays)
        {
            return false;
        }

        (SentTo to, string? error) = await SendAsync(letter, calls);
        if (error is not null)
        {
            _progress.AddLeft(letter.ShownReason, letter.Name, error);
            return false;
        }

        if (await DeleteAsync(letter, calls) is { } kept)
        {
            _undeleted.Add(letter.Key, (letter.ShownReason, letter.Name, to, kept));
            return false;
        }

        _progress.AddSent(letter.ShownReason, toQueue: to == SentTo.Queue);
        return true;
    }

    /// <returns>Where it was sent, or why not.</returns>
    private async ValueTask<(SentTo To, string? Error)> SendAsync(QueuedDeadLetter letter, CancellationToken calls)
    {
        try
        {
            SentTo to = await (keep is null ? queue.SendBackAsync(letter, calls).AsTask() : keep(queue.Describe(letter), letter.Body, calls));
            _failedCalls = 0;
            return to != SentTo.Undecided
                ? (to, null)
                : throw new InvalidOperationException(
                    $"{queue.GetType()} returned no destination from SendBackAsync, so it is unknown whether {letter.Name} was sent; it is kept.");
        }
        catch (DeadLetterException exception)
        {
            return (SentTo.Undecided, exception.Message);
        }
        catch (OperationCanceledException) when (calls.IsCancellationRequested)
        {
            return (SentTo.Undecided, $"no answer before the interrupted command had to end; it may have been {(keep is null ? "sent" : "stored")}");
        }
        catch (Exception exception) when (queue.Explain(exception) is not null || (keep is not null && exception is IOException))
        {
            QueueFault? fault = queue.Explain(exception);
            if (fault is not { IsOfMessage: true } && ++_failedCalls >= FailedCalls)
            {
                _ended = keep is null
                    ? $"{_failedCalls} sends in a row failed. Run redrive again when the queue accepts messages."
                    : $"{_failedCalls} dead letters in a row could not be stored. Run redrive again when the folder can be written.";
            }

            return (SentTo.Undecided, fault?.Text ?? UntrustedText.Shorten(exception.Message));
        }
    }

    /// <returns>Why it could not be deleted; null when it was.</returns>
    private async ValueTask<string?> DeleteAsync(QueuedDeadLetter letter, CancellationToken calls)
    {
        string error = string.Empty;
        for (int attempt = 0; attempt < DeleteAttempts && !calls.IsCancellationRequested; attempt++)
        {
            try
            {
                await queue.DeleteAsync(letter, calls);
                return null;
            }
            catch (Exception exception)
            {
                error = queue.Explain(exception)?.Text ?? UntrustedText.Shorten(exception.Message);
            }
        }

        return calls.IsCancellationRequested ? "no answer before the interrupted command had to end" : error;
    }

    /// <summary>Those that arrived since <see cref="PeekAsync"/>: which of them this run has sent.</summary>
    private async Task PeekAtNewcomersAsync(CancellationToken stop)
    {
        if (request.DryRun || queue.PeekAsync(stop) is not { } letters)
        {
            return;
        }

        try
        {
            await foreach (QueuedDeadLetter letter in letters)
            {
                CountNewcomer(letter);
            }
        }
        catch (Exception exception) when (!stop.IsCancellationRequested && queue.Explain(exception) is not null)
        {
            _progress.AddNote($"Whether messages were dead-lettered again is not known: {queue.Explain(exception)!.Text}");
        }
    }

    /// <summary>Gives back the dead letters that stay; if that fails, they become visible by themselves.</summary>
    private async Task ReleaseAsync(bool interrupted)
    {
        using CancellationTokenSource limit = new(interrupted ? InterruptedReleaseLimit : Timeout.InfiniteTimeSpan, services.Time);
        try
        {
            await queue.ReleaseAsync([.. _staying.Values.OfType<object>()], limit.Token);
        }
        catch (Exception exception) when (exception is OperationCanceledException || queue.Explain(exception) is not null)
        {
            _progress.AddNote($"Dead letters that redrive received may stay hidden until {queue.HiddenUntil}.");
        }
    }
}
