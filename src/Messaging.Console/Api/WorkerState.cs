namespace Quayside.Messaging.Console.Api;

/// <summary>
/// The answer of <c>/api/v1/stats</c>, which the command <c>status</c> reads. Times are UTC; counts are since the start. Here and in
/// <see cref="RouteState"/>, what was added later is last and has a default, which it has from an older worker.
/// </summary>
internal sealed record WorkerState(
    string Version,
    int Process,
    string Machine,
    DateTime StartedAt,
    DateTime Time,
    bool Stopping,
    bool CanChange,
    RuntimeState Runtime,
    WaitingState? WaitingDeadLetters,
    HttpState Http,
    IReadOnlyList<RouteState> Routes,
    IReadOnlyList<ProblemState>? Problems = null);

/// <summary>What an operator must know, as sentences.</summary>
/// <param name="Kind">A stable word, such as <c>breaker</c>.</param>
/// <param name="Tone"><c>bad</c> for a failure, <c>warn</c> for a warning, <c>plain</c> for a fact.</param>
/// <param name="Route">The route; null for the worker.</param>
/// <param name="Title">What it is, and since when.</param>
/// <param name="Since">When it began, UTC; the oldest known time where it began earlier.</param>
/// <param name="Details">Why, as far as that is known.</param>
/// <param name="Effect">Whom it affects, and how much.</param>
/// <param name="Action">What to do.</param>
/// <param name="How">The setting or the command for that.</param>
/// <param name="Docs">Its page, with the heading, in the repository.</param>
/// <param name="Event">The id of its event in the log.</param>
/// <param name="DocsLink">The address of that page; null without <c>Hosting:DocsUrl</c>.</param>
/// <param name="EventLink">The address of the page of events; likewise.</param>
/// <param name="Letters">For dead letters in the folder: their reason, empty for several. Null for other problems.</param>
internal sealed record ProblemState(
    string Kind,
    string Tone,
    string? Route,
    string Title,
    DateTime Since,
    IReadOnlyList<string> Details,
    string Effect,
    string Action,
    string How,
    string Docs,
    int Event,
    string? DocsLink = null,
    string? EventLink = null,
    string? Letters = null);

internal sealed record RuntimeState(
    int Cores, double CpuSeconds, long AllocatedBytes, long HeapBytes, double GcPauseSeconds, IReadOnlyList<int> Collections, int Threads);

/// <summary>Dead letters that wait; more than Count where the store stopped counting.</summary>
internal sealed record WaitingState(long Count, bool IsMore, DateTime? OldestAt, DateTime? NewestAt, IReadOnlyDictionary<string, long> ByReason);

internal sealed record HttpState(IReadOnlyList<AnswerState> Answers, IReadOnlyDictionary<string, double> ConnectionsClosed);

/// <summary>Requests of one route, or of none, that got the same answer; status 0 where the connection was closed without one.</summary>
internal sealed record AnswerState(string? Route, int Status, string Reason, bool Refusal, long Count);

/// <summary>A route. Its percentiles are of the last minute, in seconds; null where nothing was measured.</summary>
internal sealed record RouteState(
    string Name,
    IReadOnlyList<string> Sources,
    string Handler,
    string? Sink,
    string? Results,
    string Form,
    bool Ready,
    bool Receiving,
    bool Stuck,
    string? Problem,
    IReadOnlyList<string> Warnings,
    BreakerReport Breaker,
    int Slots,
    int Limit,
    int InFlight,
    int Held,
    long BytesInFlight,
    double OldestAgeSeconds,
    long Received,
    long Done,
    long Duplicates,
    long Returned,
    long DeadLetters,
    long Lost,
    IReadOnlyDictionary<string, long> Dropped,
    string? DroppedAdvice,
    double Timeouts,
    DateTime? LastDeadLetterAt,
    IReadOnlyDictionary<string, double> DeadLettersByReason,
    Percentiles? Process,
    Percentiles? Store,
    IReadOnlyDictionary<string, double> Retries,
    IReadOnlyDictionary<string, long> Calls,
    PauseState? Pause = null,
    long? InDeadLetterQueue = null,
    DateTime? DroppedSince = null,
    DateTime? LastDroppedAt = null,
    DateTime? LostAt = null,
    IReadOnlyList<string>? DeadLetterQueues = null,
    int? ProblemEvent = null,
    string? LastDeadLetter = null);

/// <summary>An operator's pause.</summary>
internal sealed record PauseState(DateTime Since, string By, string? Note);

/// <summary>The body of <c>POST /api/v1/routes/pause</c> and <c>/resume</c>.</summary>
/// <param name="Route">The route's name; required.</param>
/// <param name="Note">Why, for the log and the page; null without a note.</param>
internal sealed record RouteOrder(string? Route, string? Note = null);

internal sealed record BreakerReport(string State, string? LastFailure, DateTime Since, double? NextProbeSeconds, bool NextMessageDecides);

internal sealed record Percentiles(double P50, double P99);
