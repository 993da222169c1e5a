using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Hosting;

/// <summary>The worker of a host; a singleton of the container. The host starts and stops it. Threads: any.</summary>
public interface IMessageWorker
{
    /// <summary>
    /// False to check and open everything when the host starts, but to receive only after <see cref="StartReceiving"/>. Set it before the
    /// host starts; true by default.
    /// </summary>
    bool ReceiveOnStart { get; set; }

    /// <summary>False after a drain that cancelled messages; they are returned to their sources.</summary>
    bool DrainedCleanly { get; }

    /// <summary>A route's message counts since the start, as in <see cref="RouteStatus.Totals"/>; allocates nothing.</summary>
    /// <exception cref="ArgumentException">The worker has no route of this name, or has not started.</exception>
    internal RouteTotals GetTotals(string route);

    /// <summary>Starts receiving on every route; does nothing once the worker is stopping. Call it once, after the host has started.</summary>
    void StartReceiving();
}

/// <summary>The state of the worker, for health pages and reports; a singleton of the container. Threads: any.</summary>
internal interface IWorkerStatus
{
    /// <summary>True after the first stop signal.</summary>
    bool IsStopping { get; }

    /// <summary>The dead letters that wait in the store of sources without a dead-letter queue; null while unknown, and when no route uses the store.</summary>
    WaitingDeadLetters? WaitingDeadLetters => null;

    /// <summary>The current state of each route, in the order of the configuration; empty before the worker has started.</summary>
    IReadOnlyList<RouteStatus> GetRoutes();
}

/// <summary>The state of a route at one moment.</summary>
internal sealed record RouteStatus
{
    private readonly bool? _isReady;

    /// <summary>The route's name.</summary>
    public required string Name { get; init; }

    /// <summary>The names of its sources, in the order of the configuration.</summary>
    public required IReadOnlyList<string> Sources { get; init; }

    /// <summary>The name of its handler.</summary>
    public required string Handler { get; init; }

    /// <summary>The name of its sink; null without one.</summary>
    public string? Sink { get; init; }

    /// <summary>The form in which its pipeline is executed.</summary>
    public required string Form { get; init; }

    /// <summary>
    /// True while messages can arrive: the route was started and is not paused, its breaker is closed or the next message decides, and at least one source
    /// works.
    /// </summary>
    public required bool IsReceiving { get; init; }

    /// <summary>True when a message has run far beyond its timeout: only a restart frees its slot.</summary>
    public required bool IsStuck { get; init; }

    /// <summary>
    /// Why a source cannot receive or settle, the sink was not reached, dead letters cannot be written, no message passes, or code reported a problem; null
    /// without a problem.
    /// </summary>
    public string? Problem { get; init; }

    /// <summary>
    /// All that an operator must know, failures first: <see cref="Problem"/> and further ones, an open breaker, a pause, a message that is stuck, losses,
    /// dead letters in the queues of its sources, and what needs an operator although messages still arrive.
    /// </summary>
    public IReadOnlyList<RouteProblem> Problems { get; init; } = [];

    /// <summary>
    /// True while the breaker is not closed and the next message decides: the worker's own check of the sink has succeeded since the last
    /// failure, or there is nothing to check. The route then receives.
    /// </summary>
    public bool NextMessageDecides { get; init; }

    /// <summary>The breaker of the sink, or of the handler in a route without a sink.</summary>
    public required BreakerState Breaker { get; init; }

    /// <summary>The last failure while the breaker is open or half open; null while it is closed.</summary>
    public string? LastFailure { get; init; }

    /// <summary>When the breaker entered its current state.</summary>
    public required DateTimeOffset BreakerSince { get; init; }

    /// <summary>Time until an open breaker allows a probe; null while it is closed.</summary>
    public TimeSpan? NextProbe { get; init; }

    /// <summary>The maximum number of messages in flight, all sources together.</summary>
    public required int Slots { get; init; }

    /// <summary>Messages that may be in flight now, all sources together, by what their throughput and the sink's answers have shown.</summary>
    public required int Limit { get; init; }

    /// <summary>Messages in flight.</summary>
    public required int InFlight { get; init; }

    /// <summary>Messages in flight that wait until the sink works.</summary>
    public required int Held { get; init; }

    /// <summary>Body bytes of the messages in flight.</summary>
    public required long BytesInFlight { get; init; }

    /// <summary>Age of the oldest message in flight; zero without one.</summary>
    public required TimeSpan OldestAge { get; init; }

    /// <summary>True when the route has a sink; otherwise <see cref="RouteTotals.Stored"/> counts the messages that its handler completed.</summary>
    public required bool HasSink { get; init; }

    /// <summary>Where its results are, such as a folder or <c>s3://bucket/</c>; null without a sink.</summary>
    public string? Results { get; init; }

    /// <summary>Its calls of billed services; a live counter.</summary>
    public required ApiCalls Calls { get; init; }

    /// <summary>When a message was last dead-lettered; null when none was since the start.</summary>
    public DateTimeOffset? LastDeadLetterAt { get; init; }

    /// <summary>Why the last one was dead-lettered, as one printable line; null when none was since the start.</summary>
    public string? LastDeadLetter { get; init; }

    /// <summary>Message counts since the start.</summary>
    public required RouteTotals Totals { get; init; }

    /// <summary>What its sources dropped since the start; null for nothing.</summary>
    public DroppedInput? Dropped { get; init; }

    /// <summary>When its sources began to drop input: the first piece after at least 15 minutes without any. Null when they dropped none.</summary>
    public DateTimeOffset? DroppedSince { get; init; }

    /// <summary>When they last dropped input.</summary>
    public DateTimeOffset? LastDroppedAt { get; init; }

    /// <summary>When a shutdown lost messages that are neither stored nor among the dead letters; null when none were lost.</summary>
    public DateTimeOffset? LostAt { get; init; }

    /// <summary>Those of its sources whose dead letters are in a queue of their own; the others have theirs in the folder <c>DeadLetters:Path</c>.</summary>
    public IReadOnlyList<string> DeadLetterQueues { get; init; } = [];

    /// <summary>
    /// Messages in the dead-letter queues of its sources, at a count at most a minute ago; approximate where the queue's own count is. Null for a source
    /// without such a queue, or one that cannot count it.
    /// </summary>
    public long? InDeadLetterQueue { get; init; }

    /// <summary>The operator's pause, during which the route receives nothing; null without one.</summary>
    public RoutePause? Pause { get; init; }

    /// <summary>True when the route can receive and settle messages, or could if no operator had paused it.</summary>
    public bool IsReady
    {
        get => _isReady ?? (IsReceiving && !IsStuck && Problem is null);
        init => _isReady = value;
    }
}
