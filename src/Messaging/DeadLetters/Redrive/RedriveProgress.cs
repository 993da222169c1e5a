using Messaging.Telemetry;

namespace Messaging.DeadLetters.Redrive;

/// <summary>Counts, paces and reports one redrive: a line every 5 s while it runs. One thread counts; any may read the counts.</summary>
/// <param name="request">What was asked for.</param>
/// <param name="total">How many there are, as far as is known when it begins; for reports.</param>
/// <param name="time">Runs rate and reports.</param>
/// <param name="output">Takes the reports.</param>
public sealed class RedriveProgress(RedriveRequest request, long total, TimeProvider time, TextWriter output)
{
    /// <summary>How many of those that stay, and of those that were dead-lettered again, are shown with their reason.</summary>
    public const int MaxListed = 20;

    /// <summary>Why a redrive ended that a signal stopped.</summary>
    public const string Interrupted = "interrupted by a signal.";

    // More reasons than the worker has codes; reasons of a queue are text from outside.
    private const int MaxReasons = 50;

    private static readonly TimeSpan ReportInterval = TimeSpan.FromSeconds(5);

    // What a send that was late may catch up with: timers fire late, and the rate should hold on average.
    private static readonly TimeSpan CatchUp = TimeSpan.FromSeconds(1);

    private volatile string[] _left = [];
    private readonly List<string> _again = [];
    private readonly List<string> _notes = [];
    private readonly SortedDictionary<string, int> _otherReasons = new(StringComparer.Ordinal);
    private readonly long _began = time.GetTimestamp();
    private TimeSpan _nextSend;
    private TimeSpan _nextReport = ReportInterval;
    private int _againCount;

    /// <summary>Dead letters that the request asks for, so far.</summary>
    public int Found { get; private set; }

    /// <summary>Of those, the ones that were taken and deleted.</summary>
    public int Sent { get; private set; }

    /// <summary>Dead letters there were when it began, as far as is known; those of other reasons are among them.</summary>
    public long Total => total;

    /// <summary>Of those found, the ones that stay.</summary>
    public int LeftCount { get; private set; }

    /// <summary>The first of those that stay, a line each: which, and why. Threads: any.</summary>
    public IReadOnlyList<string> Left => _left;

    /// <summary>True once as many were found as were asked for.</summary>
    public bool HasAll => Found >= request.Max;

    /// <summary>Counts one that the request asks for.</summary>
    public void AddFound() => Found++;

    /// <summary>Counts one that was sent and deleted.</summary>
    public void AddSent() => Sent++;

    /// <summary>Counts one that stays.</summary>
    /// <param name="name">Which one; may be text from outside.</param>
    /// <param name="why">Why; printable.</param>
    public void AddLeft(string name, string why)
    {
        LeftCount++;
        if (_left.Length < MaxListed)
        {
            _left = [.. _left, $"{UntrustedText.Shorten(name)}: {why}"];
        }
    }

    /// <summary>Counts a sent one whose message was dead-lettered again.</summary>
    /// <param name="name">Which one was sent; may be text from outside.</param>
    /// <param name="what">The reason, and the new dead letter; printable.</param>
    public void AddAgain(string name, string what)
    {
        _againCount++;
        if (_again.Count < MaxListed)
        {
            _again.Add($"{UntrustedText.Shorten(name)}: {what}");
        }
    }

    /// <summary>Counts one of a reason that was not asked for.</summary>
    public void AddOtherReason(string reason)
    {
        if (_otherReasons.Count < MaxReasons || _otherReasons.ContainsKey(reason))
        {
            _otherReasons[reason] = _otherReasons.GetValueOrDefault(reason) + 1;
        }
    }

    /// <summary>Adds a line to the report.</summary>
    public void AddNote(string note) => _notes.Add(note);

    /// <summary>Waits until the rate allows the next send. Reports when it is time to.</summary>
    public async ValueTask WaitForTurnAsync(CancellationToken cancellationToken)
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

    /// <summary>Writes a line when the last one is old enough.</summary>
    public void Report()
    {
        TimeSpan now = time.GetElapsedTime(_began);
        if (now < _nextReport)
        {
            return;
        }

        _nextReport = now + ReportInterval;
        output.WriteLine($"After {now.TotalSeconds:N0} s: {(request.DryRun ? $"{Found:N0} found" : $"{Sent:N0} redriven, {LeftCount + _againCount:N0} left")}, of {total:N0} dead letters.");
    }

    /// <summary>The result so far.</summary>
    /// <param name="ended">Why it ended before every dead letter was tried; null when every one was.</param>
    public RedriveResult ToResult(string? ended)
    {
        if (ended is null && Found == 0 && request.Reason is { } reason && _otherReasons.Count > 0)
        {
            ended = $"no dead letter has the reason '{UntrustedText.Shorten(reason)}'. Reasons there are: {string.Join(", ", _otherReasons.Select(other => $"{UntrustedText.Shorten(other.Key)} ({other.Value:N0})"))}.";
        }

        return new RedriveResult(Found, Sent, LeftCount, _left, _againCount, _again, _notes, ended);
    }
}
