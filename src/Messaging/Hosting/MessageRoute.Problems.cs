using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Hosting;

/// <content>What an operator must know, each with the event, the advice and the setting of the part that it is about.</content>
internal sealed partial class MessageRoute
{
    private const string Fix = "Fix what it names; the worker continues by itself, and a restart does not help.";

    // Since when a problem that does not tell it itself has been seen, by its event and setting.
    private readonly Dictionary<(int Event, string? Setting), DateTimeOffset> _seen = [];

    private string? SinkSetting => _sinkName is null ? null : $"Sinks:{_sinkName}";

    /// <summary>Why a source cannot receive or settle, the sink was not reached, dead letters cannot be written, or no message passes.</summary>
    private IEnumerable<RouteProblem> Faults() => ((RouteProblem?[])[
        .. _inlets.Select(static inlet => RouteProblem.Failure(1003, inlet.Problem, Fix, $"Sources:{inlet.Plan.Name}")),
        RouteProblem.Failure(1008, SinkProblem, Fix, SinkSetting),
        RouteProblem.Failure(
            1006, _deadLetters?.Problem,
            "Free space on the disk of the folder of dead letters, or let the worker write to it. The worker continues by itself.", "DeadLetters:Path"),
        RouteProblem.Failure(5011, _partFailures.Problem, Fix, $"Handlers:{_handlerName}"),
        RouteProblem.Failure(1018, _health?.ProblemOf(Name), Fix, null),
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
                    SourceNames.Contains("TcpLines") ? 3454 : 3402, $"its source drops input ({dropped}); its senders may not know.", dropped.Advice,
                    string.Join(", ", SourceNames.Select(static source => $"Sources:{source}")), Before(Metrics.SinceDropped?.First))
                : null,
            _pause is { } pause
                ? RouteProblem.Warning(
                    1016, $"paused by {pause.By}{(pause.Note is null ? string.Empty : $": {pause.Note}")}.", "Resume it as soon as its reason is gone.",
                    null, pause.Since)
                : null,
            RouteProblem.Warning(
                5001, InDeadLetterQueue is > 0 and var queued ? $"{queued:N0} message(s) wait in its dead-letter queue." : null,
                "Look into the queue, fix the cause, then redrive them here or with the command redrive.", null),
            .. _inlets.SelectMany(static inlet => inlet.Warnings),
            RouteProblem.Warning(5011, _partFailures.Warning, "Do what it says; receiving goes on.", $"Handlers:{_handlerName}"),
        ];
        return [.. Dated([.. all.OfType<RouteProblem>()]).OrderByDescending(static problem => problem.Severity)];
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
            foreach ((int Event, string? Setting) over in _seen.Keys.Except(problems.Select(static problem => (problem.Event, problem.Setting))).ToArray())
            {
                _seen.Remove(over);
            }

            DateTimeOffset now = _time.GetUtcNow();
            return [.. problems.Select(problem =>
            {
                _seen.TryAdd((problem.Event, problem.Setting), now);
                return problem.Since is null ? problem with { Since = _seen[(problem.Event, problem.Setting)] } : problem;
            })];
        }
    }
}
