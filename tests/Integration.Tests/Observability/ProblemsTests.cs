using Quayside.Messaging.Console.Api;

namespace Integration.Tests.Observability;

/// <summary>The problems that the worker finds, each with what an operator needs.</summary>
public sealed class ProblemsTests
{
    private const int Full = 180;

    private static readonly DateTime Now = new(2026, 1, 31, 10, 0, 0, DateTimeKind.Utc);

    private static readonly RouteState Route = new(
        "orders", ["Http"], "Archive", "S3", "s3://orders/", "Fused", Ready: true, Receiving: true, Stuck: false, Problem: null, Warnings: [],
        new BreakerReport("closed", null, Now.AddHours(-1), null, NextMessageDecides: false),
        Slots: 64, Limit: 64, InFlight: 1, Held: 0, BytesInFlight: 10, OldestAgeSeconds: 0.1, Received: 100, Done: 100, Duplicates: 0, Returned: 0,
        DeadLetters: 0, Lost: 0,
        Dropped: new Dictionary<string, long>(), DroppedAdvice: null, Timeouts: 0, LastDeadLetterAt: null,
        DeadLettersByReason: new Dictionary<string, double>(),
        new Percentiles(0.01, 0.02), new Percentiles(0.01, 0.02), Retries: new Dictionary<string, double>(), Calls: new Dictionary<string, long>(),
        DeadLetterQueues: []);

    private static readonly BreakerReport Open = new("open", "503 Slow Down", Now.AddMinutes(-3), 4, NextMessageDecides: false);

    /// <summary>A worker with each kind of problem.</summary>
    private static readonly Dictionary<string, (WorkerState State, HistoryState History)> Cases = new(StringComparer.Ordinal)
    {
        [WorkerProblems.Age] = (State(Route with { OldestAgeSeconds = 45 }), History()),
        [WorkerProblems.Breaker] = (State(Route with { Breaker = Open, Receiving = false, Held = 64 }), History()),
        [WorkerProblems.DeadLetters] = (
            State(Route) with
            {
                WaitingDeadLetters =
                new WaitingState(3, IsMore: false, Now.AddDays(-1), Now.AddHours(-1), new Dictionary<string, long> { ["malformed-json"] = 3 })
            }, History()),
        [WorkerProblems.Dropped] = (
            State(Route with
            {
                Dropped = new Dictionary<string, long> { ["unterminated"] = 2 },
                DroppedAdvice = "Check the framing.",
                DroppedSince = Now.AddMinutes(-7),
                LastDroppedAt = Now.AddMinutes(-1)
            }), History()),
        [WorkerProblems.Full] = (State(Route with { InFlight = 64 }), History(route: series => series with { InFlight = Last(64.0, 20) })),
        [WorkerProblems.Lost] = (State(Route with { Lost = 2, LostAt = Now.AddSeconds(-4) }), History()),
        [WorkerProblems.Paused] =
            (State(Route with { Receiving = false, Pause = new PauseState(Now.AddHours(-2), "127.0.0.1", "the store is moved") }), History()),
        [WorkerProblems.Problem] = (State(Route with { Ready = false, Problem = "The source Http stopped receiving." }), History()),
        [WorkerProblems.Receiving] = (State(Route with { Receiving = false }), History()),
        [WorkerProblems.Refused] = (
            State(Route) with { Http = new HttpState([new AnswerState("orders", 503, "busy", Refusal: true, 30)], new Dictionary<string, double>()) },
            History(route: series => series with { Refused = Counts(30, 4) })),
        [WorkerProblems.Retries] = (
            State(Route with { Retries = new Dictionary<string, double> { ["503"] = 60 } }), History(route: series => series with { Retries = Counts(60, 6) })),
        [WorkerProblems.Returned] = (State(Route), History(route: series => series with { Returned = Counts(60, 6), Received = Counts(60, 6) })),
        [WorkerProblems.Stuck] = (State(Route with { Stuck = true, OldestAgeSeconds = 90 }), History()),
        [WorkerProblems.Warning] = (State(Route with { Warnings = ["2 settlement(s) of messages of the source Http have not ended."] }), History()),
    };

    public static TheoryData<string> Kinds => [.. WorkerProblems.Kinds.Keys];

    [Theory]
    [MemberData(nameof(Kinds))]
    public void EachKind_SaysSinceWhen_WhomItAffects_WhatToDo_WithWhat_AndWhereThatIsExplained(string kind)
    {
        Cases.ShouldContainKey(kind, "Add a worker with this problem.");
        ProblemState problem = Find(Cases[kind]).Single(found => found.Kind == kind);

        problem.Title.ShouldNotBeNullOrWhiteSpace();
        problem.Since.ShouldBeInRange(Now.AddDays(-2), Now);
        $"{problem.Title}\n{string.Join('\n', problem.Details)}".ShouldContain(
            kind == WorkerProblems.DeadLetters ? "the oldest for 1 d 0 h" : ProblemText.Since(problem.Since, Now));
        problem.Effect.ShouldNotBeNullOrWhiteSpace();
        problem.Action.ShouldNotBeNullOrWhiteSpace();
        problem.How.ShouldNotBeNullOrWhiteSpace();
        string[] place = problem.Docs.Split('#');
        string page = File.ReadAllText(RepositoryFolder.Combine(place[0]));
        if (place.Length > 1)
        {
            page.ToLowerInvariant().Replace(' ', '-').ShouldContain($"#-{place[1]}\n");
        }

        File.ReadAllText(RepositoryFolder.Combine("docs", "reference", "events.md")).ShouldContain($"\n| {problem.Event} |");
    }

    [Fact]
    public void HealthyWorker_HasNoProblem() => Find((State(Route), History())).ShouldBeEmpty();

    [Fact]
    public void Failures_AreFirst_AndFactsLast() => Find((
        State(Route with { InFlight = 64 }, Route with { Name = "other", Stuck = true }, Route with { Name = "third", OldestAgeSeconds = 45 }),
        History(route: series => series with { InFlight = Last(64.0, 20) })))
        .Select(static problem => problem.Tone).ShouldBe(["bad", "warn", "plain"]);

    [Fact]
    public void Refused_AfterAQuietMinute_BeganThen()
    {
        // Three minutes ago, then, after a minute without, for the last two minutes, with a pause of half a minute.
        double[] refused = new double[Full];
        refused[^38] = 5;
        refused[^24] = refused[^16] = 3;
        (WorkerState state, _) = Cases[WorkerProblems.Refused];

        ProblemState problem = Find((state, History(route: series => series with { Refused = refused }))).Single();

        problem.Since.ShouldBe(Now.AddSeconds(-23 * 5));
        problem.Title.ShouldBe("Route orders: 11 HTTP requests were refused in the last 15 minutes, since 09:58:05 (1 min)");
        problem.Effect.ShouldBe("In the last minute: 0 callers (0/s). Callers keep these messages and should send them again.");
    }

    [Fact]
    public void Refused_TellsHowManyPerSecond_AndWhatEndsEach()
    {
        (WorkerState state, HistoryState history) = Cases[WorkerProblems.Refused];
        AnswerState[] answers = [
            .. state.Http.Answers, new AnswerState("orders", 413, "too-large", Refusal: true, 2),
            new AnswerState("orders", 400, "bad-header", Refusal: true, 1)];

        ProblemState problem = Find((state with { Http = state.Http with { Answers = answers } }, history)).Single();

        problem.Effect.ShouldBe(
            "In the last minute: 30 callers (0.5/s). Callers keep these messages and should send them again. "
                + "Nothing is stored for a rejected request; its caller was told why.");
        problem.Details.ShouldBe(["By status and reason since the start: 503 busy (30), 413 too-large (2), 400 bad-header (1)."]);
        problem.Action.ShouldBe(
            "Raise the limit that is reached, or add workers. Send smaller messages, or raise the limit that the answer names. "
                + "Correct the requests; the answers say what is wrong.");
        problem.How.ShouldBe("Intake:Concurrency, Intake:BytesInFlight, Sources:Http:MaxReceivingBytes, Sources:Http");
    }

    [Fact]
    public void Outage_TellsWhomItBlocks()
    {
        (WorkerState state, _) = Cases[WorkerProblems.Breaker];
        RouteState mixed = state.Routes[0] with { Sources = ["Http", "Sqs", "Udp"], OldestAgeSeconds = 130 };
        AnswerState refused = new("orders", 503, "paused", Refusal: true, 90);

        ProblemState problem = Find(
            (State(mixed) with { Http = new HttpState([refused], new Dictionary<string, double>()) },
                History(route: series => series with { Refused = Counts(90, 6) })))
            .Single(static found => found.Kind == WorkerProblems.Breaker);

        problem.Effect.ShouldBe(
            "HTTP callers get 503 and should send again; refused in the last minute: 90 callers (1.5/s). New messages wait at Sqs. Datagrams beyond the "
                + "kernel's buffer are lost. 64 messages are held until it works again, the oldest for 2 min.");
        problem.Details[0].ShouldBe("Last failure: 503 Slow Down");
        problem.Since.ShouldBe(Now.AddMinutes(-3));
    }

    [Theory]
    [InlineData("No space left on device", null)]
    [InlineData("The server's certificate has expired", "DeadLetters:Path: No space left on device")]
    public void Outage_NamesItsOwnSink_WhateverTheTextsSay(string failure, string? problemOfAnotherPart)
    {
        ProblemState problem = Find(
            (State(Route with
            {
                Results = "36 bundles in s3://orders/",
                Breaker = Open with { LastFailure = failure },
                Problem = problemOfAnotherPart,
                ProblemEvent = 1006
            }), History())).Single();

        (problem.Action, problem.How).ShouldBe(
            ("Do what the last failure says, or repair the sink S3, its credentials or the network. The worker continues by itself; a restart does not help.",
                "Sinks:S3"));
    }

    [Theory]
    [InlineData(1003, "Fix what it names; the worker continues by itself, and a restart does not help.", "Sources:Sqs, Sinks:S3")]
    [InlineData(
        1006, "Free space on the disk of the folder of dead letters, or let the worker write to it. The worker continues by itself.", "DeadLetters:Path")]
    [InlineData(
        1008, "Do what the last failure says, or repair the sink S3, its credentials or the network. The worker continues by itself; a restart does not help.",
        "Sinks:S3")]
    public void Problem_ItsEventDecidesTheAction(int eventId, string action, string how)
    {
        ProblemState problem = Find((State(Route with { Sources = ["Sqs"], Problem = "No space left on device", ProblemEvent = eventId }), History())).Single();

        (problem.Action, problem.How, problem.Event).ShouldBe((action, how, eventId));
    }

    [Fact]
    public void Problem_WhileTheRouteReceives_DoesNotSayThatCallersGet503()
    {
        RouteState route = Route with { Sources = ["Http", "Sqs"], Problem = "SQS does not answer.", ProblemEvent = 1003, Receiving = true };

        Find((State(route), History())).Single().Effect.ShouldNotContain("503");
        Find((State(route with { Receiving = false }), History())).Single().Effect.ShouldContain("HTTP callers get 503");
    }

    [Fact]
    public void Outage_OfAFolder_IsRepairedThere()
    {
        ProblemState problem = Find((State(Route with { Sink = "Directory", Results = "/data/", Breaker = Open }), History())).Single();

        (problem.Action, problem.How).ShouldBe(
            ("Do what the last failure says: mount the sink's folder, free space on its disk, "
                + "or give the worker the rights to it. The worker continues by itself.", "Sinks:Directory"));
    }

    [Fact]
    public void Refused_ByAPausedRoute_IsAnEffectOfItsPause_UntilItReceivesAgain()
    {
        (WorkerState state, HistoryState history) = Cases[WorkerProblems.Refused];
        HttpState http = state.Http with { Answers = [new AnswerState("orders", 503, "paused", Refusal: true, 30)] };
        AnswerState busy = new("orders", 503, "busy", Refusal: true, 1);

        foreach (RouteState route in (RouteState[])[Cases[WorkerProblems.Paused].State.Routes[0], Cases[WorkerProblems.Breaker].State.Routes[0]])
        {
            WorkerState paused = State(route) with { Http = http };
            Find((paused, history)).Single().Effect.ShouldContain("refused in the last minute: 30 callers");
            Find((paused with { Http = http with { Answers = [.. http.Answers, busy] } }, history)).Single(static found => found.Kind == WorkerProblems.Refused)
                .Action.ShouldBe("Receiving is paused: see that problem of the route. Raise the limit that is reached, or add workers.");
        }

        Find((state with { Http = http }, history)).Single().Action.ShouldBe("Nothing: receiving was paused, and callers send again after Retry-After.");
    }

    [Fact]
    public void DeadLetters_InQueues_HaveTheCommandOfEachSource()
    {
        RouteState route = Route with { Sources = ["Http", "Sqs", "RabbitMq", "Own"], DeadLetterQueues = ["Sqs", "RabbitMq", "Own"], InDeadLetterQueue = 7 };

        ProblemState problem = Find((State(route), History())).Single();

        problem.Title.ShouldStartWith("Route orders: 7 messages wait in its dead-letter queue, since ");
        problem.How.ShouldBe("redrive orders/Sqs\nredrive orders/RabbitMq");
        problem.Letters.ShouldBeNull("They are not in the folder.");
    }

    [Fact]
    public void DeadLetters_OfASourceWithoutARedrive_HaveNoCommand()
    {
        RouteState route = Route with { Sources = ["Own"], DeadLetterQueues = ["Own"], DeadLetters = 2 };

        ProblemState problem = Find((State(route), History(route: series => series with { DeadLetters = Counts(2, 3) }))).Single();

        problem.Action.ShouldContain("the source has no redrive");
        problem.How.ShouldBe("Sources:Own");
    }

    [Fact]
    public void DeadLetters_OfTheFolder_HaveTheCommandOfTheirReason_AndTheirButton()
    {
        ProblemState problem = Find(Cases[WorkerProblems.DeadLetters]).Single();

        problem.How.ShouldBe("worker dead-letters redrive --reason malformed-json --dry-run");
        problem.Letters.ShouldBe("malformed-json");
        problem.Since.ShouldBe(Now.AddDays(-1));
    }

    [Fact]
    public void ConditionsOfARoute_BeginWhenTheWorkerFirstSawThem()
    {
        ProblemState problem = Find(Cases[WorkerProblems.Problem], since: Now.AddHours(-3)).Single();

        problem.Since.ShouldBe(Now.AddHours(-3));
        problem.Details.ShouldBe(["Since 07:00:00 (3 h 0 min)."]);
    }

    [Theory]
    [InlineData(
        "https://docs.example.com/{page}.html", "https://docs.example.com/guides/alerts.html#workerstuck", "https://docs.example.com/reference/events.html")]
    [InlineData(
        "https://git.example.com/docs/{page}.md?plain=1", "https://git.example.com/docs/guides/alerts.md?plain=1#workerstuck",
        "https://git.example.com/docs/reference/events.md?plain=1")]
    [InlineData("", null, null)]
    [InlineData(null, null, null)]
    public void DocsUrl_IsTheAddressOfThePages(string? docsUrl, string? docs, string? events)
    {
        ProblemState problem = Find(Cases[WorkerProblems.Stuck], docsUrl).Single();

        (problem.DocsLink, problem.EventLink).ShouldBe((docs, events));
    }

    private static IReadOnlyList<ProblemState> Find((WorkerState State, HistoryState History) of, string? docsUrl = null, DateTime? since = null) =>
        new WorkerProblems(
            static (route, source) => source == "Own" ? null : $"redrive {route}/{source}", docsUrl, static arguments => $"worker {arguments}").Find(
                of.State, of.History, (_, _) => since);

    private static WorkerState State(params RouteState[] routes) => new(
        "1.0", 1, "machine", Now.AddDays(-2), Now, Stopping: false, CanChange: true, new RuntimeState(2, 1, 1, 1, 0, [], 4),
        new WaitingState(0, IsMore: false, null, null, new Dictionary<string, long>()), new HttpState([], new Dictionary<string, double>()), routes);

    private static HistoryState History(Func<RouteHistory, RouteHistory>? route = null)
    {
        RouteHistory quiet = new(
            Zeros, Zeros, Zeros, Zeros, Zeros, Zeros, Zeros, Last(0, 0), Last(0, 0), Last(0, 0), new double?[Full], new double?[Full], new double?[Full],
            new double?[Full]);
        return new HistoryState(
            5, Now, new RuntimeHistory(Zeros, Zeros, Zeros), Zeros, new Dictionary<string, RouteHistory> { ["orders"] = route is null ? quiet : route(quiet) });
    }

    private static double[] Zeros => new double[Full];

    // A number of messages, spread over the last steps.
    private static double[] Counts(double total, int steps) => [.. Enumerable.Repeat(0.0, Full - steps), .. Enumerable.Repeat(total / steps, steps)];

    private static double?[] Last(double value, int steps) => [.. Enumerable.Repeat<double?>(0, Full - steps), .. Enumerable.Repeat<double?>(value, steps)];
}
