namespace Quayside.Messaging.Console.Api;

/// <summary>
/// Finds what an operator must know in the worker's state and its last 15 minutes, for the page, <c>status</c> and the API: each with since when, whom it
/// affects, what to do, the setting or command for that, its page of the documentation and its event. Threads: any.
/// </summary>
/// <param name="redrive">The command that sends the dead letters in the queue of a route's source again; null when the source has none.</param>
/// <param name="docsUrl">The address of a page of the documentation, with <see cref="ConsoleOptions.PagePlace"/> for its name; null for no links.</param>
/// <param name="command">The command line of this program with some arguments, as it can be run.</param>
internal sealed class WorkerProblems(Func<string, string, string?> redrive, string? docsUrl, Func<string, string> command)
{
    public const string Age = "age";
    public const string Breaker = "breaker";
    public const string DeadLetters = "dead-letters";
    public const string Dropped = "dropped";
    public const string Full = "full";
    public const string Lost = "lost";
    public const string Paused = "paused";
    public const string Problem = "problem";
    public const string Receiving = "receiving";
    public const string Refused = "refused";
    public const string Retries = "retries";
    public const string Returned = "returned";
    public const string Stuck = "stuck";
    public const string Warning = "warning";

    public const string Bad = "bad";
    public const string Warn = "warn";
    public const string Plain = "plain";

    private const string DocsFolder = "docs/";
    private const string EventsPage = "docs/reference/events.md";

    private static readonly string[] Tones = [Bad, Warn, Plain];

    /// <summary>Every kind of problem, with its page and the usual event.</summary>
    public static IReadOnlyDictionary<string, (string Docs, int Event)> Kinds { get; } =
        new Dictionary<string, (string Docs, int Event)>(StringComparer.Ordinal)
        {
            [Age] = ("docs/guides/alerts.md#workeroldestmessage", 5005),
            [Breaker] = ("docs/guides/alerts.md#workerbreakeropen", 2001),
            [DeadLetters] = ("docs/guides/alerts.md#workerdeadletters", 5001),
            [Dropped] = ("docs/guides/alerts.md#workerinputdropped", 3454),
            [Full] = ("docs/guides/scale-out.md#how-many-workers", 1107),
            [Lost] = ("docs/guides/alerts.md#workermessageslost", 3002),
            [Paused] = ("docs/guides/alerts.md#workerroutepaused", 1016),
            [Problem] = ("docs/guides/alerts.md#workersourcefailing", 1003),
            [Receiving] = ("docs/guides/alerts.md#workersourcefailing", 1003),
            [Refused] = ("docs/reference/http.md#answers", 1215),
            [Retries] = ("docs/guides/scale-out.md#requests-in-flight", 4103),
            [Returned] = ("docs/explanation/settlement.md", 5002),
            [Stuck] = ("docs/guides/alerts.md#workerstuck", 5003),
            [Warning] = ("docs/guides/alerts.md#workersourcefailing", 5011),
        };

    /// <summary>Finds the problems, failures first.</summary>
    /// <param name="state">The state of the worker.</param>
    /// <param name="history">Its last 15 minutes.</param>
    /// <param name="since">Since when a kind of problem of a route has lasted, by <see cref="ConditionTimes"/>; null when it has just begun.</param>
    public IReadOnlyList<ProblemState> Find(WorkerState state, HistoryState history, Func<string, string, DateTime?> since) =>
        [.. new ProblemSearch(state, history, since, redrive, command).Find().OrderBy(static problem => Array.IndexOf(Tones, problem.Tone)).Select(Linked)];

    private ProblemState Linked(ProblemState problem) =>
        string.IsNullOrEmpty(docsUrl) ? problem : problem with { DocsLink = LinkOf(problem.Docs), EventLink = LinkOf(EventsPage) };

    private string LinkOf(string docs)
    {
        string[] parts = docs[DocsFolder.Length..].Split('#');
        return $"{docsUrl!.Replace(ConsoleOptions.PagePlace, Path.ChangeExtension(parts[0], null), StringComparison.Ordinal)}"
            + $"{(parts.Length > 1 ? $"#{parts[1]}" : string.Empty)}";
    }
}
