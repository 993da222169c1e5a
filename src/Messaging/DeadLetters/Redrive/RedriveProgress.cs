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
public sealed class RedriveProgress(RedriveRequest request, long total, TimeProvider time, TextWriter output)
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
    private string? _current;
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

    /// <summary>The counts by reason, where the redrive tells reasons. Threads: any.</summary>
    public IReadOnlyList<RedriveCounts> ByReason => [.. _byReason.Values.OrderByDescending(static counts => counts.Found)];

    /// <summary>Whether the request asks for a dead letter of a queue, by its name and reason. Counts one that only has another reason.</summary>
    /// <param name="name">Its name, as a dry run lists it.</param>
    /// <param name="reason">Its reason code; null without one.</param>
    /// <param name="shownReason">Its reason for people; printable.</param>
    public bool Wants(string name, string? reason, string shownReason)
    {
        if (request.Names?.Contains(name) == false)
        {
            return false;
        }

        if (request.Reason is not null && !string.Equals(reason, request.Reason, StringComparison.Ordinal))
        {
            AddOtherReason(shownReason);
            return false;
        }

        _missing.Remove(name);
        return true;
    }

    /// <summary>Counts one that the request asks for.</summary>
    /// <param name="reason">Its reason, under which it is counted until the next one is found; null where reasons are not counted.</param>
    public void AddFound(string? reason = null)
    {
        Found++;
        _current = reason is null ? null : _byReason.Count < MaxReasons || _byReason.ContainsKey(reason) ? reason : OtherReasons;
        Count(static counts => counts with { Found = counts.Found + 1 });
    }

    /// <summary>Counts one that was sent and deleted.</summary>
    /// <param name="toQueue">True when a queue accepted it, false when it was stored, or moved to the folder.</param>
    public void AddSent(bool toQueue = false)
    {
        Sent++;
        SentToQueue += toQueue ? 1 : 0;
        Count(static counts => counts with { Sent = counts.Sent + 1 });
    }

    /// <summary>Counts one that stays.</summary>
    /// <param name="name">Its name; may be text from outside.</param>
    /// <param name="why">Why it stays; printable.</param>
    public void AddLeft(string name, string why)
    {
        LeftCount++;
        Count(static counts => counts with { Left = counts.Left + 1 });
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

    /// <summary>Counts one with another reason than the request asks for.</summary>
    public void AddOtherReason(string reason)
    {
        if (_otherReasons.Count < MaxReasons || _otherReasons.ContainsKey(reason))
        {
            _otherReasons[reason] = _otherReasons.GetValueOrDefault(reason) + 1;
        }
    }

    private void Count(Func<RedriveCounts, RedriveCounts> add)
    {
        if (_current is { } reason)
        {
            _byReason[reason] = add(_byReason.GetValueOrDefault(reason) ?? new RedriveCounts(reason, 0, 0, 0));
        }
    }

    /// <summary>Lists one, for a dry run: a line, and with <see cref="RedriveRequest.Bodies"/> the start of its body.</summary>
    /// <param name="columns">What tells it from others, such as reason, name and time; printable.</param>
    /// <param name="description">Why it was dead-lettered; may be text from outside.</param>
    /// <param name="body">Its body, or at least the first <see cref="MaxBodyBytes"/>; not read without <see cref="RedriveRequest.Bodies"/>.</param>
    /// <param name="length">The length of the whole body, in bytes.</param>
    public void List(string columns, string? description, ReadOnlySpan<byte> body, long length)
    {
        output.WriteLine($"{columns}  {UntrustedText.Shorten(description ?? "(no description)")}");
        if (!request.Bodies)
        {
            return;
        }

        ReadOnlySpan<byte> start = body[..Math.Min(body.Length, MaxBodyBytes)];
        foreach (string line in UntrustedText.Lines(Encoding.UTF8.GetString(start)))
        {
            output.WriteLine($"    {line}");
        }

        if (length > start.Length)
        {
            output.WriteLine($"    and {length - start.Length:N0} bytes more.");
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
public sealed record RedriveCounts(string Reason, int Found, int Sent, int Left);
