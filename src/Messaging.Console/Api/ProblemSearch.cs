namespace Quayside.Messaging.Console.Api;

/// <summary>One search of <see cref="WorkerProblems"/>: the worker's own problems, and those of its HTTP callers. Threads: one.</summary>
internal sealed partial class ProblemSearch(
    WorkerState state, HistoryState history, Func<string, string, DateTime?> since, Func<string, string, string?> redrive, Func<string, string> command)
{
    // Steps of 15 minutes; a shorter history spans the worker's whole life.
    private const int FullHistory = 180;

    // Steps of a minute.
    private const int Minute = 12;

    // What ends each refusal, and the setting or command for it.
    private static readonly (string[] Reasons, string Action, string How)[] Refusals =
    [
        (["paused"], "Receiving is paused: see that problem of the route.", "GET /healthz/ready"),
        (["busy"], "Raise the limit that is reached, or add workers.", "Intake:Concurrency, Intake:BytesInFlight, Sources:Http:MaxReceivingBytes"),
        (["too-many-connections"], "Raise the number of connections, or add workers.", "Hosting:MaxConnections"),
        (["too-large", "request-too-large", "too-many-lines"], "Send smaller messages, or raise the limit that the answer names.", "Sources:Http"),
        (["too-slow", "headers-too-slow"], "Check the network of the callers, or give them more time.", "Sources:Http:BodyTimeout, Sources:Http:MinBodyRate"),
        (["unknown-route", "unknown-path", "route-required", "method-not-allowed"], "Correct the address or the method that the callers use.",
            "POST /messages/{route}"),
        (["host-not-allowed", "origin-not-allowed", "cross-site"], "If the callers are yours, allow their host.", "Hosting:AllowedHosts"),
        (["token-not-set", "token-required", "token-wrong"], "Give the callers the token; if they are not yours, restrict who reaches the worker.",
            "Hosting:Token (event 1220 in the log)"),
        (["no-answer"], "The callers closed their connections first: compare their timeouts with the processing time.", "Intake:MessageTimeout"),
        (["starting", "stopping"], "Nothing: callers send again after Retry-After.", "Hosting:DrainTimeout"),
    ];

    // For a route that receives again.
    private static readonly (string[] Reasons, string Action, string How) PausedBefore =
        (["paused"], "Nothing: receiving was paused, and callers send again after Retry-After.", "GET /healthz/ready");

    private static readonly (string[] Reasons, string Action, string How) OtherRefusal =
        ([], "Correct the requests; the answers say what is wrong.", "Sources:Http");

    private readonly List<ProblemState> _found = [];

    public IReadOnlyList<ProblemState> Find()
    {
        FindWaiting();
        FindRefused(route: null);
        foreach (RouteState route in state.Routes)
        {
            FindRefused(route);
            FindInRoute(route);
        }

        return _found;
    }

    private void Add(
        string kind, string tone, RouteState? route, string title, DateTime began, IEnumerable<string?> details, string effect, string action, string how,
        int eventId = 0, string? letters = null)
    {
        (string docs, int usual) = WorkerProblems.Kinds[kind];
        _found.Add(new ProblemState(
            kind, tone, route?.Name, route is null ? title : $"Route {route.Name}: {title}", began, [.. details.OfType<string>()], effect, action, how, docs,
            eventId == 0 ? usual : eventId, Letters: letters));
    }

    /// <summary>Dead letters in the folder: a state, whichever process wrote them.</summary>
    private void FindWaiting()
    {
        if (state.WaitingDeadLetters is not { Count: > 0 } waiting)
        {
            return;
        }

        string[] recent = [
            .. state.Routes
                .Where(KeepsLetters)
                .Select(route => (route.Name, Count: DeadLately(route)))
                .Where(static route => route.Count > 0)
                .Select(static route => $"{ProblemText.Count(route.Count)} by route {route.Name}")];
        string[] reasons = [.. waiting.ByReason.OrderByDescending(static reason => reason.Value).Select(static reason => reason.Key)];
        Add(
            WorkerProblems.DeadLetters,
            WorkerProblems.Warn,
            route: null,
            $"{(waiting.IsMore ? "more than " : string.Empty)}{ProblemText.Count(waiting.Count)} "
                + $"{(waiting.Count == 1 && !waiting.IsMore ? "dead letter waits" : "dead letters wait")}"
                + $"{(waiting.OldestAt is { } oldest ? $", the oldest for {ProblemText.Span(state.Time - oldest)}" : string.Empty)}",
            waiting.OldestAt ?? waiting.NewestAt ?? state.StartedAt,
            [
                $"By reason: {ProblemText.Counts(waiting.ByReason)}.",
                waiting.OldestAt is not { } first
                    ? null
                    : waiting.NewestAt is { } last && last != first
                    ? $"The oldest is of {At(first)}, the newest of {At(last)}."
                    : $"Dead-lettered at {At(first)}.",
                recent.Length > 0
                    ? $"Messages dead-lettered in the last 15 minutes: {string.Join(", ", recent)}. "
                        + "Equal messages of a day are one dead letter, which is redriven once."
                    : null,
            ],
            "They are not processed until they are redriven; none is lost.",
            "Look at one of each reason. Fix the cause and redrive them; where the message itself is wrong, "
                + "edit its .body file before. Discard those that are not needed.",
            command(reasons.Length == 1 ? $"dead-letters redrive --reason {reasons[0]} --dry-run" : "dead-letters groups"),
            letters: reasons.Length == 1 ? reasons[0] : string.Empty);
    }

    /// <summary>Requests that were refused before a route accepted a message, or got no answer; those without a route for null.</summary>
    private void FindRefused(RouteState? route)
    {
        AnswerState[] refused = [
            .. state.Http.Answers.Where(
                answer => answer.Refusal && (answer.Route == route?.Name || (route is null && !state.Routes.Any(known => known.Name == answer.Route))))];
        double[] series = route is null ? history.Refused : SeriesOf(route)?.Refused ?? [];
        long total = refused.Sum(static answer => answer.Count);
        double lately = series.Length < FullHistory ? total : Math.Round(series.Sum());
        bool isPaused = route is { Pause: not null } or { Breaker.State: not "closed" };
        if (lately == 0 || (isPaused && refused.All(static answer => answer.Reason == "paused")))
        {
            // Callers that a paused route refuses are an effect of that problem, which counts them.
            return;
        }

        DateTime began = BeganIn(series, out string earlier);
        (string[] Reasons, string Action, string How)[] ends = [
            .. refused
                .Select(
                    answer => (isPaused ? Refusals : Refusals.Prepend(PausedBefore))
                        .Where(refusal => refusal.Reasons.Contains(answer.Reason))
                        .DefaultIfEmpty(OtherRefusal)
                        .First())
                .DistinctBy(static refusal => refusal.Action)];
        bool again = refused.Any(static answer => answer.Status is 0 or 408 or 429 or >= 500);
        bool corrected = refused.Any(static answer => answer.Status is >= 400 and < 500 and not (408 or 429));
        string counts = ProblemText.Counts(refused.Select(static answer => KeyValuePair.Create(NameOf(answer), answer.Count)));
        Add(
            WorkerProblems.Refused,
            WorkerProblems.Warn,
            route,
            $"{ProblemText.Many(lately, "HTTP request was", "HTTP requests were")} refused in the last 15 minutes, since {At(began)}{earlier}",
            began,
            [$"By status and reason since the start: {counts}."],
            $"In the last minute: {RefusedLately(series, total)}.{(again ? " Callers keep these messages and should send them again." : string.Empty)}"
                + $"{(corrected ? " Nothing is stored for a rejected request; its caller was told why." : string.Empty)}",
            string.Join(" ", ends.Select(static end => end.Action)),
            string.Join(", ", ends.Select(static end => end.How).Distinct()));
    }

    private static string NameOf(AnswerState answer) => $"{(answer.Status > 0 ? $"{answer.Status} " : string.Empty)}{answer.Reason}";

    private static string RefusedLately(double[] series, long total)
    {
        double minute = series.Length == 0 ? total : LastMinute(series);
        return $"{ProblemText.Many(minute, "caller")} ({ProblemText.Rate(minute / 60)})";
    }

    private RouteHistory? SeriesOf(RouteState route) => history.Routes.GetValueOrDefault(route.Name);

    private string At(DateTime time) => ProblemText.Since(time, state.Time);

    private static double LastMinute(double[] series) => Math.Round(series.TakeLast(Minute).Sum());

    // Dead letters of a route in the last 15 minutes.
    private double DeadLately(RouteState route) =>
        SeriesOf(route)?.DeadLetters is { Length: >= FullHistory } series ? Math.Round(series.Sum()) : route.DeadLetters;

    private static bool KeepsLetters(RouteState route) => (route.DeadLetterQueues?.Count ?? 0) < route.Sources.Count;

    /// <summary>The start of the newest run of steps that pass a test, with at most that many others in a row within it; -1 for no run.</summary>
    private static int RunStart(IReadOnlyList<double?> values, Func<double, bool> test, int pause)
    {
        int start = -1;
        for (int i = values.Count - 1, others = 0; i >= 0 && others <= pause; i--)
        {
            if (values[i] is not { } value)
            {
                continue;
            }

            (start, others) = test(value) ? (i, 0) : (start, others + 1);
        }

        return start;
    }

    /// <summary>When something last began to happen: in the first step after a minute without it; now, when it is too new for the history.</summary>
    private DateTime BeganIn(double[] values, out string earlier)
    {
        int start = RunStart([.. values[..(Array.FindLastIndex(values, static value => value > 0) + 1)]], static value => value > 0, Minute - 1);
        return StepEnd(start < 0 ? values.Length - 1 : start, values.Length, out earlier);
    }

    private DateTime StepEnd(int index, int length, out string earlier)
    {
        earlier = index == 0 && length >= FullHistory ? " or earlier" : string.Empty;
        return history.End.AddSeconds(-(length - 1 - index) * history.StepSeconds);
    }
}
