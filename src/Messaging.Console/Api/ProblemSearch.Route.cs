
namespace Quayside.Messaging.Console.Api;

/// <content>The problems of a route.</content>
internal sealed partial class ProblemSearch
{
    private const double OldAgeSeconds = 30;

    // Of RouteStatus.ProblemEvent.
    private const int DeadLettersEvent = 1006;
    private const int SinkEvent = 1008;

    // Below, in shares of the messages.
    private const double ManyReturned = 0.1;
    private const double ManyRetried = 0.01;
    private const int FewMessages = 5;

    private void FindInRoute(RouteState route)
    {
        DateTime oldest = state.Time.AddSeconds(-route.OldestAgeSeconds);
        bool outage = route.Breaker.State != "closed";
        FindStuck(route, oldest);
        FindPause(route);
        FindOutage(route, outage);
        FindLoss(route);
        if (!route.Stuck && !outage && route.OldestAgeSeconds > OldAgeSeconds)
        {
            Add(
                WorkerProblems.Age, WorkerProblems.Warn, route, $"the oldest message has been in flight since {At(oldest)}", oldest, [], InUse(route),
                "Compare the times of the handler and the sink; messages that take too long are cancelled.", "Intake:MessageTimeout");
        }

        if (SeriesOf(route) is not { } series)
        {
            return;
        }

        FindQueuedLetters(route, series);
        if (!outage)
        {
            FindLoad(route, series);
            FindRepeats(route, series);
        }
    }

    private void FindStuck(RouteState route, DateTime oldest)
    {
        if (route.Stuck)
        {
            Add(
                WorkerProblems.Stuck, WorkerProblems.Bad, route, $"a message has been stuck since {At(oldest)}", oldest, ["It ignores its cancellation."],
                $"It keeps its slot. {InUse(route)}",
                "Restart the worker to free its slot; unsettled messages are redelivered.", "Intake:MessageTimeout is what it ignored");
        }
    }

    private void FindPause(RouteState route)
    {
        if (route.Pause is { } pause)
        {
            Add(
                WorkerProblems.Paused, WorkerProblems.Warn, route, $"paused since {At(pause.Since)}", pause.Since,
                [$"By {pause.By}{(pause.Note is { } note ? $": {note}" : string.Empty)}."],
                Blocked(route), "Resume it as soon as its reason is gone.", command($"resume {route.Name}"));
        }
    }

    /// <summary>What keeps it from receiving, other than an operator.</summary>
    private void FindOutage(RouteState route, bool outage)
    {
        if (outage)
        {
            string next = route.Breaker.NextProbeSeconds is > 0 and var seconds
                ? $"The next probe is in {ProblemText.Span(TimeSpan.FromSeconds(Math.Ceiling(seconds)))}"
                : "The next message probes it";
            string probe = route.Breaker.NextMessageDecides
                ? "It passed the worker’s check; the next message decides."
                : $"Receiving is paused, except for probes. {next}; the worker checks it too.";
            (string action, string how) = Repair(route);
            Add(
                WorkerProblems.Breaker, route.Breaker.NextMessageDecides ? WorkerProblems.Warn : WorkerProblems.Bad, route,
                $"the {(route.Sink is null ? "handler" : $"sink {route.Sink}")} has been failing since {At(route.Breaker.Since)}", route.Breaker.Since,
                [route.Breaker.LastFailure is { } failure ? $"Last failure: {failure}" : null, route.Problem,
                    $"{(route.Done > 0 ? ProblemText.Many(route.Done, "message was", "messages were") : "No message was")} "
                        + $"{(route.Sink is null ? "completed" : "stored")} since the start.", probe], Blocked(route), action, how);
        }
        else if (route.Problem is { } problem)
        {
            DateTime began = since(route.Name, WorkerProblems.Problem) ?? state.Time;
            (string action, string how) = route.ProblemEvent switch
            {
                SinkEvent => Repair(route),
                DeadLettersEvent =>
                    ("Free space on the disk of the folder of dead letters, or let the worker write to it. The worker continues by itself.",
                        "DeadLetters:Path"),
                _ => ("Fix what it names; the worker continues by itself, and a restart does not help.", Settings(route)),
            };
            Add(WorkerProblems.Problem, WorkerProblems.Bad, route, problem, began, [$"Since {At(began)}."], Blocked(route), action, how,
                route.ProblemEvent ?? 0);
        }
        else if (!route.Receiving && route.Pause is null && !state.Stopping)
        {
            DateTime began = since(route.Name, WorkerProblems.Receiving) ?? state.Time;
            Add(
                WorkerProblems.Receiving, WorkerProblems.Bad, route, $"it has received no messages since {At(began)}", began, [], Blocked(route),
                "The log says why its source does not receive.", Settings(route));
        }

        if (route.Warnings.Count > 0)
        {
            DateTime began = since(route.Name, WorkerProblems.Warning) ?? state.Time;
            foreach (string warning in route.Warnings)
            {
                bool isOfSettlements = warning.Contains("settlement", StringComparison.OrdinalIgnoreCase);
                string action = isOfSettlements ? "Check what its source settles on." : "Do what it says; receiving goes on.";
                int eventId = isOfSettlements ? 5009 : 0;
                Add(WorkerProblems.Warning, WorkerProblems.Warn, route, warning, began, [$"Since {At(began)}."], InUse(route), action, Settings(route),
                    eventId);
            }
        }
    }

    private void FindLoss(RouteState route)
    {
        if (route.Lost > 0)
        {
            DateTime began = route.LostAt ?? state.Time;
            Add(
                WorkerProblems.Lost, WorkerProblems.Bad, route, $"{ProblemText.Many(route.Lost, "message was", "messages were")} lost at {At(began)}", began,
                [],
                "Only their senders may still have them.", "Take their ids from the log, and have the senders send them again.",
                "DeadLetters:Path must be writable, Hosting:DrainTimeout long enough");
        }

        long dropped = route.Dropped.Values.Sum();
        if (dropped > 0)
        {
            DateTime began = route.DroppedSince ?? state.Time;
            Add(
                WorkerProblems.Dropped, WorkerProblems.Bad, route,
                $"its source has dropped input since {At(began)}, {ProblemText.Many(dropped, "time", "times")} since the start", began,
                [$"By reason: {ProblemText.Counts(route.Dropped)}.", route.LastDroppedAt is { } last ? $"The last at {At(last)}." : null],
                "Its senders may not know. One piece may have held several messages.",
                route.DroppedAdvice ?? "The log names the senders.", string.Join(", ", route.Sources.Select(static source => $"Sources:{source}")),
                Has(route, "Udp") && !Has(route, "TcpLines") ? 3402 : 0);
        }
    }

    /// <summary>Dead letters in the queues of the sources: those that wait in the folder are a problem of the worker.</summary>
    private void FindQueuedLetters(RouteState route, RouteHistory series)
    {
        double dead = DeadLately(route);
        long queued = route.InDeadLetterQueue ?? 0;
        bool inQueue = route.DeadLetterQueues is { Count: > 0 } && (route.InDeadLetterQueue is null || !KeepsLetters(route));
        if (queued == 0 && (dead == 0 || !(inQueue || state.WaitingDeadLetters is null)))
        {
            return;
        }

        // The queue is counted once a minute: the first of this run may be older than its first count.
        DateTime recent = BeganIn(series.DeadLetters, out _);
        DateTime began = queued > 0 && since(route.Name, WorkerProblems.DeadLetters) is { } counted && (dead == 0 || counted < recent) ? counted : recent;
        string[] commands = [.. (route.DeadLetterQueues ?? []).Select(source => redrive(route.Name, source)).OfType<string>()];
        string waiting = queued > 0
            ? $"{ProblemText.Many(queued, "message waits", "messages wait")} in its dead-letter queue"
            : $"{ProblemText.Many(dead, "dead letter")} in the last 15 minutes";
        Add(
            WorkerProblems.DeadLetters, WorkerProblems.Warn, route,
            $"{waiting}, since {At(began)}{(began - state.StartedAt <= 2 * WorkerHistory.Step ? " or earlier" : string.Empty)}",
            began,
            [
                queued > 0 && dead > 0 ? $"In the last 15 minutes: {ProblemText.Count(dead)}." : null,
                route.DeadLetters > 0 ? $"By reason since the start: {ProblemText.Counts(route.DeadLettersByReason)}." : null,
                route.LastDeadLetterAt is { } last ? $"The last at {At(last)}{(route.LastDeadLetter is { } why ? $": {why}" : ".")}" : null,
                route.InDeadLetterQueue is null && !KeepsLetters(route) ? "They are in the dead-letter queue of the source." : null,
            ],
            "They are not processed until they are redriven; none is lost.",
            commands.Length > 0
                ? "Look into the queue, fix the cause, then redrive them on the worker's page, or with the command and the worker's settings. Moved to the "
                    + "folder, they can be edited, redriven and discarded one by one."
                    : KeepsLetters(route)
                    ? "Fix the cause, then redrive them."
                    : "Fix the cause, then send them again with the tools of their queue: the source has no redrive.",
            commands.Length > 0
                ? string.Join("\n", commands)
                : KeepsLetters(route)
                ? command("dead-letters groups")
                : string.Join(", ", (route.DeadLetterQueues ?? []).Select(static source => $"Sources:{source}")));
    }

    private void FindLoad(RouteState route, RouteHistory series)
    {
        // Even at the limit a slot is free now and then.
        double most = route.Limit * 0.9;
        int fullFrom = RunStart(series.InFlight, value => value >= most, pause: 1);
        bool isLoaded = route.InFlight >= most && fullFrom >= 0 && series.InFlight.Length - fullFrom >= 3;
        DateTime loadedSince = StepEnd(Math.Max(0, fullFrom), series.InFlight.Length, out string earlier);
        if (isLoaded)
        {
            Add(
                WorkerProblems.Full, WorkerProblems.Plain, route, $"it has worked at its limit since {At(loadedSince)}{earlier}", loadedSince,
                [TimesOf("processing", route.Process), TimesOf("a store", route.Store)],
                $"{InUse(route)} Messages wait at the source.",
                "If they wait too long, look at the load of the sink, raise the limit or add workers. More workers help only if the sink has room.",
                "Intake:Concurrency");
        }
    }

    private static string? TimesOf(string what, Percentiles? times) =>
        times is null ? null : $"In the last minute, p50 of {what} is {ProblemText.Seconds(times.P50)}, p99 {ProblemText.Seconds(times.P99)}.";

    private void FindRepeats(RouteState route, RouteHistory series)
    {
        double retries = LastMinute(series.Retries);
        if (retries >= FewMessages && retries > LastMinute(series.Done) * ManyRetried)
        {
            DateTime began = BeganIn(series.Retries, out string earlier);
            Add(
                WorkerProblems.Retries, WorkerProblems.Warn, route, $"requests to the sink have been retried since {At(began)}{earlier}", began,
                [$"By status since the start: {ProblemText.Counts(route.Retries)}. 429 and 503 mean that the sink throttles."],
                $"In the last minute: {ProblemText.Many(retries, "request")} ({ProblemText.Rate(retries / 60)}). The worker allows "
                    + $"{ProblemText.Many(route.Limit, "message")} in flight.",
                "Raise the limits of the store, or spread the load over more prefixes or buckets.", $"Sinks:{route.Sink}");
        }

        double returned = LastMinute(series.Returned);
        double received = LastMinute(series.Received);
        if (returned >= FewMessages && returned > received * ManyReturned)
        {
            DateTime began = BeganIn(series.Returned, out string earlier);
            Add(
                WorkerProblems.Returned, WorkerProblems.Warn, route, $"messages have been returned to the source since {At(began)}{earlier}", began, [],
                $"In the last minute: {ProblemText.Count(returned)} of {ProblemText.Many(received, "message")} ({ProblemText.Rate(returned / 60)}). The source "
                    + "redelivers them.",
                "The log has the reasons.", "Recoverability");
        }
    }

    private static string InUse(RouteState route) =>
        $"{ProblemText.Many(route.InFlight, "message is", "messages are")} in flight, of {ProblemText.Count(route.Limit)} that the worker allows now and "
            + $"{ProblemText.Count(route.Slots)} at most.";

    /// <summary>Whom a route that receives nothing affects.</summary>
    private string Blocked(RouteState route)
    {
        List<string> effects = [];
        if (Has(route, "Http") && !route.Receiving)
        {
            long total = state.Http.Answers.Where(answer => answer.Refusal && answer.Route == route.Name).Sum(static answer => answer.Count);
            effects.Add($"HTTP callers get 503 and should send again; refused in the last minute: {RefusedLately(SeriesOf(route)?.Refused ?? [], total)}.");
        }

        string[] others = [.. route.Sources.Where(static source => !Is(source, "Http") && !Is(source, "Udp"))];
        if (others.Length > 0)
        {
            effects.Add($"New messages wait at {string.Join(", ", others)}.");
        }

        if (Has(route, "Udp"))
        {
            effects.Add("Datagrams beyond the kernel's buffer are lost.");
        }

        string age = $"the oldest for {ProblemText.Span(TimeSpan.FromSeconds(route.OldestAgeSeconds))}";
        effects.Add(route.Held > 0 ? $"{ProblemText.Many(route.Held, "message is", "messages are")} held until it works again, {age}."
            : route.InFlight > 0 ? $"{ProblemText.Many(route.InFlight, "message is", "messages are")} in flight, {age}."
            : "No message is in flight.");
        return string.Join(" ", effects);
    }

    private static bool Has(RouteState route, string source) => route.Sources.Any(one => Is(one, source));

    private static bool Is(string source, string name) => string.Equals(source, name, StringComparison.OrdinalIgnoreCase);

    /// <summary>What to do about a sink or handler that fails.</summary>
    private (string Action, string How) Repair(RouteState route) => route switch
    {
        { Sink: null } => ("Fix what the failure names: the handler, or what it calls. The worker continues by itself.", $"Handlers:{route.Handler}"),
        { Sink: "Directory" } => (
            "Do what the last failure says: mount the sink's folder, free space on its disk, "
                + "or give the worker the rights to it. The worker continues by itself.",
            "Sinks:Directory"),
        _ => (
            $"Do what the last failure says, or repair the sink {route.Sink}, its credentials or the network. "
                + "The worker continues by itself; a restart does not help.",
            $"Sinks:{route.Sink}"),
    };

    private static string Settings(RouteState route) =>
        string.Join(", ", route.Sources.Select(static source => $"Sources:{source}").Concat(route.Sink is null ? [] : [$"Sinks:{route.Sink}"]));
}
