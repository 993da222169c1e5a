using System.Collections.Concurrent;
using System.Text;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.DeadLetters.Redrive;

/// <summary>Counts, paces and reports one redrive: a line every 5 s while it runs. One thread counts; any may read the counts.</summary>
/// <param name="request">What was asked for.</param>
/// <param name="total">The number of dead letters at the start, as far as known; for reports.</param>
/// <param name="time">The clock for rate and reports.</param>
/// <param name="output">Receives the reports.</param>
internal sealed class RedriveProgress(RedriveRequest request, long total, TimeProvider time, TextWriter output)
{
    /// <summary>The maximum number of dead letters that are listed with a reason: of those that stay, and of those that were dead-lettered again.</summary>
    public const int MaxListed = 20;

    /// <summary>The start of a body that a dry run shows, in bytes.</summary>
    public const int MaxBodyBytes = 2_048;

    /// <summary><see cref="RedriveResult.Ended"/> of a redrive that a signal stopped.</summary>
    public const string Interrupted = "interrupted by a signal.";

    // More than the worker has reason codes. The reasons of a queue are text from outside, so their number needs a limit.
    private const int MaxReasons = 50;

    private static readonly TimeSpan ReportInterval = TimeSpan.FromSeconds(5);

    // How far late sends may catch up: timers fire late, and the rate should hold on average.
    private static readonly TimeSpan CatchUp = TimeSpan.FromSeconds(1);

    private const string OtherReasons = "other";

    private readonly ConcurrentDictionary<string, RedriveCounts> _byReason = new(StringComparer.Ordinal);
    private volatile string[] _left = [];
    private readonly List<string> _again = [];
    private readonly List<string> _notes = [];
    private readonly SortedDictionary<string, int> _otherReasons = new(StringComparer.Ordinal);
    private readonly long _began = time.GetTimestamp();
    private TimeSpan _nextSend;
    private TimeSpan _nextReport = ReportInterval;
    private int _againCount;
    private readonly HashSet<string> _missing = [.. request.Names ?? (IEnumerable<string>)[]];

    /// <summary>Dead letters that the request asks for, so far.</summary>
    public int Found { get; private set; }

    /// <summary>Of those, the ones that were accepted and deleted.</summary>
    public int Sent { get; private set; }

    /// <summary>
    /// Of those sent, the ones that a queue accepted: the worker of their route stores them, or dead-letters them again. The others were stored.
    /// </summary>
    public int SentToQueue { get; private set; }

    /// <summary>Dead letters at the start, as far as known; may include those of other reasons.</summary>
    public long Total { get; set; } = total;

    /// <summary>Of those found, the ones that stay.</summary>
    public int LeftCount { get; private set; }

    /// <summary>The first of those that stay, one line each: the name and why it stays. Threads: any.</summary>
    public IReadOnlyList<string> Left => _left;

    /// <summary>True once as many were found as the request asks for.</summary>
    public bool HasAll => Found >= request.Max;

    /// <summary>True once each of <see cref="RedriveRequest.Names"/> was met; false without names.</summary>
    public bool HasAllNames => request.Names is not null && _missing.Count == 0;

    /// <summary>The counts by reason. Threads: any.</summary>
    public IReadOnlyList<RedriveCounts> ByReason => [.. _byReason.Values.OrderByDescending(static counts => counts.Found)];

    /// <summary>Whether the request asks for a dead letter, by its name and reason. Counts one that only has another reason.</summary>
    internal bool Wants(QueuedDeadLetter letter)
    {
        if (request.Names?.Contains(letter.Name) == false)
        {
            return false;
        }

        if (request.Reason is not null && !string.Equals(letter.Reason, request.Reason, StringComparison.Ordinal))
        {
            if (_otherReasons.Count < MaxReasons || _otherReasons.ContainsKey(letter.ShownReason))
            {
                _otherReasons[letter.ShownReason] = _otherReasons.GetValueOrDefault(letter.ShownReason) + 1;
            }

            return false;
        }

        _missing.Remove(letter.Name);
        return true;
    }

    /// <summary>Counts one that the request asks for.</summary>
    /// <param name="reason">Its reason for people; printable.</param>
    public void AddFound(string reason)
    {
        Found++;
        Count(reason, found: 1);
    }

    /// <summary>Counts one that was sent and deleted.</summary>
    /// <param name="reason">Its reason, as it was found.</param>
    /// <param name="toQueue">True when a queue accepted it, false when it was stored, or moved to the folder.</param>
    public void AddSent(string reason, bool toQueue = false)
    {
        Sent++;
        SentToQueue += toQueue ? 1 : 0;
        Count(reason, sent: 1);
    }

    /// <summary>Counts one that stays.</summary>
    /// <param name="reason">Its reason, as it was found.</param>
    /// <param name="name">Its name; may be text from outside.</param>
    /// <param name="why">Why it stays; printable.</param>
    public void AddLeft(string reason, string name, string why)
    {
        LeftCount++;
        Count(reason, left: 1);
        if (_left.Length < MaxListed)
        {
            _left = [.. _left, $"{UntrustedText.Shorten(name)}: {why}"];
        }
    }

    /// <summary>Counts one that was sent and whose message was dead-lettered again.</summary>
    /// <param name="name">The name of the dead letter that was sent; may be text from outside.</param>
    /// <param name="what">The reason, and the new dead letter; printable.</param>
    public void AddAgain(string name, string what)
    {
        _againCount++;
        if (_again.Count < MaxListed)
        {
            _again.Add($"{UntrustedText.Shorten(name)}: {what}");
        }
    }

    private void Count(string reason, int found = 0, int sent = 0, int left = 0)
    {
        string counted = _byReason.Count < MaxReasons || _byReason.ContainsKey(reason) ? reason : OtherReasons;
        RedriveCounts counts = _byReason.GetValueOrDefault(counted) ?? new RedriveCounts(counted, 0, 0, 0);
        _byReason[counted] = counts with { Found = counts.Found + found, Sent = counts.Sent + sent, Left = counts.Left + left };
    }

    /// <summary>Lists one, for a dry run: a line, and with <see cref="RedriveRequest.Bodies"/> the start of its body.</summary>
    internal void List(QueuedDeadLetter letter)
    {
        output.WriteLine($"{letter.ShownReason}  {letter.Columns}  {UntrustedText.Shorten(letter.Description ?? "(no description)")}");
        if (!request.Bodies)
        {
            return;
        }

        ReadOnlySpan<byte> start = letter.Body.Span[..Math.Min(letter.Body.Length, MaxBodyBytes)];
        foreach (string line in UntrustedText.Lines(Encoding.UTF8.GetString(start)))
        {
            output.WriteLine($"    {line}");
        }

        if (letter.BodyLength > start.Length)
        {
            output.WriteLine($"    and {letter.BodyLength - start.Length:N0} bytes more.");
        }
    }

    /// <summary>Adds a line to the report.</summary>
    public void AddNote(string note) => _notes.Add(note);

    /// <summary>Waits until the rate allows the next send. Writes a report line when one is due.</summary>
    public async ValueTask WaitForRateAsync(CancellationToken cancellationToken)
    {
        Report();
        if (request.Rate is not { } perSecond)
        {
            return;
        }

        TimeSpan now = time.GetElapsedTime(_began);
        TimeSpan due = _nextSend > now - CatchUp ? _nextSend : now - CatchUp;
        _nextSend = due + TimeSpan.FromSeconds(1.0 / perSecond);
        if (due > now)
        {
            await Task.Delay(due - now, time, cancellationToken);
        }
    }

    /// <summary>Writes a report line if the last one is at least 5 s old.</summary>
    public void Report()
    {
        TimeSpan now = time.GetElapsedTime(_began);
        if (now < _nextReport)
        {
            return;
        }

        _nextReport = now + ReportInterval;
        output.WriteLine(
            $"After {now.TotalSeconds:N0} s: "
                + $"{(request.DryRun ? $"{Found:N0} found" : $"{Sent:N0} {(request.ToFolder ? "moved" : "redriven")}, {LeftCount + _againCount:N0} left")}, of "
                + $"{Total:N0} dead letters.");
    }

    /// <summary>The result so far.</summary>
    /// <param name="ended">Why the redrive ended before every dead letter was tried; null when all were tried.</param>
    public RedriveResult ToResult(string? ended)
    {
        bool isUnknownReason = ended is null && Found == 0 && request.Reason is not null && _otherReasons.Count > 0;
        if (isUnknownReason)
        {
            string hint = NearestName.Find(request.Reason!, _otherReasons.Keys) is { } nearest
                ? $" Did you mean {UntrustedText.Shorten(nearest)}?"
                : string.Empty;
            string existing = string.Join(", ", _otherReasons.Select(other => $"{UntrustedText.Shorten(other.Key)} ({other.Value:N0})"));
            ended = $"no dead letter has the reason '{UntrustedText.Shorten(request.Reason)}'.{hint} Existing reasons: {existing}.";
        }

        if (ended is null && _missing.Count > 0 && !HasAll)
        {
            ended = $"the dead-letter queue has no dead letter with {(_missing.Count == 1 ? "the id" : "the ids")} "
                + $"{string.Join(", ", _missing.Order(StringComparer.Ordinal).Take(MaxListed).Select(UntrustedText.Shorten))}"
                + $"{(_missing.Count > MaxListed ? $" and {_missing.Count - MaxListed:N0} more" : string.Empty)}"
                + $"{(request.Reason is null ? string.Empty : " and this reason")}. --dry-run lists their ids; "
                + "one that another receiver holds is hidden for a while.";
        }

        return new RedriveResult(Found, Sent, LeftCount, _left, _againCount, _again, _notes, ended) { IsUnknownReason = isUnknownReason };
    }
}

/// <summary>The counts of the dead letters with one reason.</summary>
/// <param name="Reason">The reason code.</param>
/// <param name="Found">Those that the request asks for.</param>
/// <param name="Sent">Of those, the ones that were accepted and deleted.</param>
/// <param name="Left">Of those, the ones that stay.</param>
internal sealed record RedriveCounts(string Reason, int Found, int Sent, int Left);
