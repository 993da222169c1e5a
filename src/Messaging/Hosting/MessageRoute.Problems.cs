using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Hosting;

/// <content>What an operator must know, each with the event, the advice and the setting of the part that it is about.</content>
internal sealed partial class MessageRoute
{
    // How long dead letters are told of whose queue cannot be counted: nothing shows when they are gone.
    private static readonly TimeSpan UncountedFor = TimeSpan.FromMinutes(15);

    // Since when a problem that does not tell it itself has been seen. A source's failure and its warning have the same event and setting.
    private readonly Dictionary<(int Event, ProblemSeverity Severity, string? Setting), DateTimeOffset> _seen = [];

    private string? SinkSetting => _sinkName is null ? null : $"Sinks:{_sinkName}";

    /// <summary>Why a source cannot receive or settle, the sink was not reached, dead letters cannot be written, or no message passes.</summary>
    private IEnumerable<RouteProblem> Faults() => ((RouteProblem?[])[
        .. _inlets.Select(static inlet => inlet.Problem),
        RouteProblem.Failure(1008, SinkProblem, RouteProblem.Fix, SinkSetting),
        RouteProblem.Failure(
            1006, _deadLetters?.Problem,
            "Free space on the disk of the folder of dead letters, or let the worker write to it. The worker continues by itself.", "DeadLetters:Path"),
        RouteProblem.Failure(5011, _partFailures.Problem, RouteProblem.Fix, $"Handlers:{_handlerName}"),
        RouteProblem.Failure(1018, _health?.ProblemOf(Name), RouteProblem.Fix, null),
    ]).OfType<RouteProblem>();

    private RouteProblem[] FindProblems(RouteProblem[] faults)
    {
        long lost = Metrics.Totals.Lost - Metrics.Totals.Dropped;
        RouteProblem?[] all = [
            RouteProblem.Failure(
                5003, IsStuck ? "a message is stuck: it ignores its cancellation, and keeps its slot." : null,
                "Restart the worker to free its slot; unsettled messages are redelivered.", "Intake:MessageTimeout", Before(OldestAge)),
            OfBreaker(),
            .. faults,
            RouteProblem.Failure(
                3002, lost > 0 ? $"{lost:N0} message(s) were lost; only their senders may still have them." : null,
                "Take their ids from the log, and have the senders send them again.", "DeadLetters:Path, Hosting:DrainTimeout", Before(Metrics.SinceLost)),
            Metrics.DroppedInput is { } dropped
                ? RouteProblem.Failure(
                    dropped.Event, $"its source drops input ({dropped}); its senders may not know.", dropped.Advice, $"Sources:{dropped.Source}",
                    Before(Metrics.SinceDropped?.First))
                : null,
            _pause is { } pause
                ? RouteProblem.Warning(
                    1016, $"paused by {pause.By}{(pause.Note is null ? string.Empty : $": {pause.Note}")}.", "Resume it as soon as its reason is gone.",
                    null, pause.Since)
                : null,
            RouteProblem.Warning(5001, FindDeadLetters(), "Look into the queue, fix the cause, then send them again.", null),
            .. _inlets.SelectMany(static inlet => inlet.Warnings),
            RouteProblem.Warning(5011, _partFailures.Warning, "Do what it says; receiving goes on.", $"Handlers:{_handlerName}"),
        ];
        return [.. Dated([.. all.OfType<RouteProblem>()]).OrderByDescending(static problem => problem.Severity)];
    }

    /// <summary>What waits in the dead-letter queues, or where no queue can be counted, what went there lately.</summary>
    private string? FindDeadLetters()
    {
        if (InDeadLetterQueue is { } queued)
        {
            return queued > 0 ? $"{queued:N0} message(s) wait in its dead-letter queue." : null;
        }

        return Metrics.SinceDeadLetter is { } ago && ago < UncountedFor && _inlets.Exists(static inlet => !inlet.Plan.KeepsDeadLetters)
            ? $"{Metrics.Totals.DeadLetters:N0} message(s) were dead-lettered since the start, the last at {Before(ago):HH:mm:ss} UTC; how many wait in its "
                + "dead-letter queue is not known."
            : null;
    }

    private RouteProblem? OfBreaker()
    {
        if (Breaker.State == BreakerState.Closed)
        {
            return null;
        }

        string state = Breaker.NextMessageDecides ? "It passed the worker's check; the next message decides." : "Receiving is paused, except for probes.";
        RouteProblem problem = RouteProblem.Failure(
            2001, $"the {Breaker.Part} fails: {Breaker.LastFailure?.TrimEnd('.') ?? "the failure is not known"}. {state}",
            "Do what the failure says; the worker continues by itself, and a restart does not help.", SinkSetting ?? $"Handlers:{_handlerName}",
            Breaker.Since)!;
        return Breaker.NextMessageDecides ? problem with { Severity = ProblemSeverity.Warning } : problem;
    }

    private RouteProblem[] Dated(RouteProblem[] problems)
    {
        lock (_seen)
        {
            foreach ((int, ProblemSeverity, string?) over in _seen.Keys.Except(problems.Select(KeyOf)).ToArray())
            {
                _seen.Remove(over);
            }

            DateTimeOffset now = _time.GetUtcNow();
            return [.. problems.Select(problem =>
            {
                _seen.TryAdd(KeyOf(problem), now);
                return problem.Since is null ? problem with { Since = _seen[KeyOf(problem)] } : problem;
            })];
        }
    }

    private static (int Event, ProblemSeverity Severity, string? Setting) KeyOf(RouteProblem problem) => (problem.Event, problem.Severity, problem.Setting);
}
