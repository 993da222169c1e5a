using System.Collections.Concurrent;
using System.Diagnostics;
using System.Diagnostics.Metrics;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Telemetry;

/// <summary>
/// Counts a route's messages: as totals for reports, and as OpenTelemetry metrics (after the messaging conventions where they apply), which
/// are read from the totals on collection. A message costs a few increments with or without a listener; durations are measured only
/// with one. The balance received - (stored + dead letters + returned) - in flight is 0. Threads: any.
/// </summary>
public sealed class RouteMetrics
{
    /// <summary>The name of the meter and of the activity source.</summary>
    public const string SourceName = "Quayside";

    // The messaging conventions' boundaries. By default the SDK puts all values below 5 s into one bucket.
    private static readonly InstrumentAdvice<double> Seconds = new()
    {
        HistogramBucketBoundaries = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
    };

    // The running routes; the array is replaced as a whole, so a collection reads a consistent one.
    private static readonly Lock Gate = new();
    private static volatile RouteMetrics[] _running = [];

    private static readonly Meter Meter = new(SourceName);
    private static readonly Counter<long> DeadLetters = Meter.CreateCounter<long>(
        "worker.messages.dead_letters", "{message}", "Messages dead-lettered, by reason; dead letters in the folder count when they are written");
    private static readonly Counter<long> Lost = Meter.CreateCounter<long>(
        "worker.messages.lost", "{message}", "Messages lost at a shutdown: neither stored nor written to the dead letters; event 3002 has their ids");
    private static readonly Counter<long> Dropped = Meter.CreateCounter<long>(
        "worker.messages.dropped", "{message}",
        "Input that a source dropped because it was no whole message, by reason: too-long, unterminated, unread, proxy-protocol, too-large, checksum, "
            + "kernel-buffer. One piece may have held several messages");
    private static readonly Counter<long> LostBytes = Meter.CreateCounter<long>(
        "worker.input.lost", "By",
        "Bytes of dropped input that neither its sender nor a dead letter keeps, by reason, as far as they are known: "
            + "not for kernel-buffer, nor for unread datagrams");
    private static readonly Counter<long> Timeouts =
        Meter.CreateCounter<long>("worker.messages.timeouts", "{message}", "Messages that took longer than Intake:MessageTimeout");
    private static readonly Histogram<double> ProcessDuration =
        Meter.CreateHistogram("messaging.process.duration", "s", "Time from acceptance to settlement", tags: null, Seconds);
    private static readonly Histogram<double> StoreDuration =
        Meter.CreateHistogram("worker.sink.duration", "s", "Time of a store by the sink, its retries and waits included", tags: null, Seconds);

    private const int MaxExceptionTypes = 64;

    // OpenTelemetry's value for an error type that is not listed.
    private const string OtherExceptions = "_OTHER";

    private static readonly ConcurrentDictionary<string, bool> ExceptionTypes = new(StringComparer.Ordinal);

    private readonly KeyValuePair<string, object?> _route;
    private readonly KeyValuePair<string, object?>[] _receiveTags;
    private readonly KeyValuePair<string, object?>[] _processTags;
    private readonly Counts _counts;
    private readonly bool _stores;
    private readonly bool _isOfSource;
    private readonly bool _countsDecidedDeadLetters;
    private long _received;
    private long _unsettled;

    // The gauges of a running route's sources; replaced as a whole.
    private volatile InletGauges[] _inlets = [];
    private volatile Func<bool>? _isStuck;
    private volatile Func<bool>? _isPaused;
    private volatile Func<bool>? _isReady;
    private volatile Func<long?>? _inDeadLetterQueue;

    static RouteMetrics()
    {
        Meter.CreateObservableCounter(
            "messaging.client.consumed.messages",
            static () => _running.SelectMany(
                static route => route.Receivers, static (_, receiver) => new Measurement<long>(Volatile.Read(ref receiver._received), receiver._receiveTags)),
            "{message}",
            "Messages accepted from a source");
        CountRoutes(
            "worker.messages.stored", "Messages whose object is stored, duplicates included",
            static route => route._stores ? route._counts.Stored.Value : null);
        CountRoutes(
            "worker.messages.completed", "Messages that the handler of a route without a sink completed",
            static route => route._stores ? null : route._counts.Stored.Value);
        CountRoutes(
            "worker.messages.duplicates", "Messages whose object was stored before with the same bytes",
            static route => route._stores ? Volatile.Read(ref route._counts.Duplicates) : null);
        CountRoutes("worker.messages.returned", "Messages abandoned: returned to their source", static route => Volatile.Read(ref route._counts.Returned));
        Meter.CreateObservableCounter(
            "worker.settlements.failed",
            static () => _running.SelectMany(
                static route => route.Receivers, static (_, receiver) => new Measurement<long>(Volatile.Read(ref receiver._unsettled), receiver._receiveTags)),
            "{message}",
            "Settlements in which the source threw; its messages may be delivered again");
        GaugeInlets("worker.messages.in_flight", "{message}", "Messages in flight, held ones included", static inlet => inlet.InFlight());
        GaugeInlets("worker.messages.held", "{message}", "Messages in flight that wait until the sink works", static inlet => inlet.Held());
        GaugeInlets(
            "worker.messages.limit", "{message}", "Messages that may be in flight now: found from the throughput, at most Intake:Concurrency",
            static inlet => inlet.Limit());
        GaugeInlets("worker.bytes.in_flight", "By", "Body bytes of the messages in flight", static inlet => inlet.BytesInFlight());
        GaugeInlets(
            "worker.messages.oldest_age", "s", "Age of the oldest message in flight; a growing age indicates a hanging sink",
            static inlet => inlet.OldestAgeSeconds());
        GaugeInlets("worker.breaker.state", null, "Circuit breaker of the sink: 0 closed, 1 half open, 2 open", static inlet => inlet.BreakerState());
        GaugeInlets("worker.source.failing", null, "1 while the source cannot receive or settle, 0 otherwise", static inlet => inlet.IsFailing() ? 1 : 0);
        GaugeInlets("worker.settlements.slow", "{message}", "Settlements that have been running for more than 10 s", static inlet => inlet.SlowSettlements());
        Meter.CreateObservableGauge(
            "worker.route.stuck",
            static () => _running
                .Where(route => route._isStuck is not null)
                .Select(static route => new Measurement<int>(route._isStuck!() ? 1 : 0, route._route)),
            null, "1 when a message has run far beyond its timeout: only a restart frees its slot");
        Meter.CreateObservableGauge(
            "worker.dead_letter_queue.messages",
            static () => _running
                .Select(static route => (Count: route._inDeadLetterQueue?.Invoke(), Route: route._route))
                .Where(static route => route.Count is not null)
                    .Select(static route => new Measurement<long>(route.Count!.Value, route.Route)), "{message}",
                    "Messages in the dead-letter queues of the route's sources, by the queue's own count once a minute (SQS, RabbitMQ)");
        Meter.CreateObservableGauge(
            "worker.route.ready",
            static () => _running.Where(static route => route._isReady is not null)
                .Select(static route => new Measurement<int>(route._isReady!() ? 1 : 0, route._route)),
            null,
            "1 while the route is ready, as at /healthz/ready; 0 otherwise");
        Meter.CreateObservableGauge(
            "worker.route.paused",
            static () => _running
                .Where(route => route._isPaused is not null)
                .Select(static route => new Measurement<int>(route._isPaused!() ? 1 : 0, route._route)),
            null, "1 while an operator has paused the route, 0 otherwise; a breaker that pauses receiving does not count");
    }

    /// <summary>Creates the counters of a route, at zero.</summary>
    /// <param name="route">The route's name.</param>
    /// <param name="stores">False for a route without a sink: its metrics count completed messages instead of stored ones.</param>
    public RouteMetrics(string route, bool stores = true)
        : this(route, source: null, new Counts(), stores, countsDecidedDeadLetters: true)
    {
    }

    private RouteMetrics(string route, MessageDestination? source, Counts counts, bool stores, bool countsDecidedDeadLetters)
    {
        _stores = stores;
        _route = new KeyValuePair<string, object?>("worker.route", route);
        _receiveTags = TagsOf(source, "receive");
        _processTags = TagsOf(source, "process");
        _counts = counts;
        _isOfSource = source is not null;
        _countsDecidedDeadLetters = countsDecidedDeadLetters;
    }

    /// <summary>The word for the messages that <see cref="RouteTotals.Stored"/> counts.</summary>
    internal string DoneWord => _stores ? "stored" : "completed";

    /// <summary>The totals since the start; consistent when no message is in flight.</summary>
    internal RouteTotals Totals => new(
        Receivers.Sum(static receiver => Volatile.Read(ref receiver._received)),
        _counts.Stored.Value,
        Volatile.Read(ref _counts.Duplicates),
        Volatile.Read(ref _counts.Returned),
        Volatile.Read(ref _counts.DeadLetters),
        LostAtStop + Volatile.Read(ref _counts.Dropped),
        Volatile.Read(ref _counts.Dropped),
        Volatile.Read(ref _counts.Elements));

    /// <summary>What the sources dropped since the start; null for nothing.</summary>
    internal DroppedInput? DroppedInput
    {
        get
        {
            lock (_counts.DroppedReasons)
            {
                return _counts.DroppedReasons.Count == 0
                    ? null
                    : _counts.DroppedBy[_counts.DroppedReasons.MaxBy(reason => reason.Value).Key] with
                    {
                        Reasons = new Dictionary<string, long>(_counts.DroppedReasons),
                    };
            }
        }
    }

    /// <summary>The time since the sources began to drop input, and since they last did; null when they dropped none.</summary>
    internal (TimeSpan First, TimeSpan Last)? SinceDropped
    {
        get
        {
            lock (_counts.DroppedReasons)
            {
                return _counts.DroppedReasons.Count == 0
                    ? null
                    : (Stopwatch.GetElapsedTime(_counts.DroppedEpisode.First), Stopwatch.GetElapsedTime(_counts.DroppedEpisode.Last));
            }
        }
    }

    /// <summary>Messages that a shutdown could neither store nor write to the dead letters.</summary>
    internal long LostAtStop => Volatile.Read(ref _counts.Lost);

    /// <summary>The time since the last dead letter; null before the first.</summary>
    internal TimeSpan? SinceDeadLetter => Volatile.Read(ref _counts.LastDeadLetter) is > 0 and var last ? Stopwatch.GetElapsedTime(last) : null;

    /// <summary>Why the last one was dead-lettered; null before the first.</summary>
    internal string? LastDeadLetter
    {
        get => Volatile.Read(ref _counts.LastDescription);
        set => Volatile.Write(ref _counts.LastDescription, value);
    }

    /// <summary>The time since messages were last lost; null when none were.</summary>
    internal TimeSpan? SinceLost => Volatile.Read(ref _counts.LastLost) is > 0 and var last ? Stopwatch.GetElapsedTime(last) : null;

    // True for the counters of a source whose dead letters the route counts: they must not count twice.
    private bool CountsForSource => _isOfSource && _countsDecidedDeadLetters;

    // Without sources, as in tests, the route itself counts.
    private RouteMetrics[] Receivers => _counts.Sources is { Length: > 0 } sources ? sources : [this];

    /// <summary>The start time of a store, for <see cref="StoreEnded(long)"/>.</summary>
    /// <returns>The timestamp; 0 without a listener.</returns>
    public static long StoreStarts() => StoreDuration.Enabled ? Stopwatch.GetTimestamp() : 0;

    /// <summary>Records the duration of a store, after the response of the sink.</summary>
    /// <param name="started">The value from <see cref="StoreStarts"/>.</param>
    public void StoreEnded(long started) => StoreEnded(started, (string?)_route.Value);

    /// <summary>Records the duration of a store, after the response of the sink.</summary>
    /// <param name="started">The value from <see cref="StoreStarts"/>.</param>
    /// <param name="route">The name of the sink's route.</param>
    public static void StoreEnded(long started, string? route)
    {
        if (started != 0)
        {
            StoreDuration.TryRecord(Stopwatch.GetElapsedTime(started).TotalSeconds, new KeyValuePair<string, object?>("worker.route", route));
        }
    }

    /// <summary>Publishes the metrics of the route until <see cref="Unpublish"/>.</summary>
    /// <param name="isStuck">Called on collection.</param>
    /// <param name="isPaused">Likewise.</param>
    /// <param name="inDeadLetterQueue">Likewise; null when it is unknown.</param>
    /// <param name="isReady">Likewise.</param>
    internal void Publish(Func<bool> isStuck, Func<bool> isPaused, Func<long?>? inDeadLetterQueue = null, Func<bool>? isReady = null)
    {
        _isReady = isReady;
        _isStuck = isStuck;
        _inDeadLetterQueue = inDeadLetterQueue;
        _isPaused = isPaused;
        lock (Gate)
        {
            _running = [.. _running, this];
        }
    }

    /// <summary>Publishes the gauges of one source with the route.</summary>
    internal void Publish(InletGauges inlet)
    {
        lock (Gate)
        {
            _inlets = [.. _inlets, inlet];
        }
    }

    /// <summary>Stops the collection of the route's metrics.</summary>
    internal void Unpublish()
    {
        lock (Gate)
        {
            _running = [.. _running.Where(route => route != this)];
        }
    }

    /// <summary>True while a listener collects the durations from acceptance to settlement.</summary>
    internal static bool MeasuresProcessing => ProcessDuration.Enabled;

    internal void MessagesReceived(int count) => Interlocked.Add(ref _received, count);

    /// <summary>Counts a duplicate, in addition to the completion of the message.</summary>
    public void MessageDuplicate() => Interlocked.Increment(ref _counts.Duplicates);

    internal void SettlementFailed() => Interlocked.Increment(ref _unsettled);

    internal void MessageTimedOut() => Timeouts.TryAdd(1, _route);

    /// <summary>Creates the counters of one source; their totals are part of the route's.</summary>
    /// <param name="source">The source, for the tags.</param>
    /// <param name="countsDecidedDeadLetters">False for a source that writes its dead letters itself and counts each when it is written.</param>
    internal RouteMetrics ForSource(MessageDestination source, bool countsDecidedDeadLetters)
    {
        RouteMetrics metrics = new((string)_route.Value!, source, _counts, _stores, countsDecidedDeadLetters);
        lock (Gate)
        {
            _counts.Sources = [.. _counts.Sources, metrics];
        }

        return metrics;
    }

    /// <summary>The error type of a settlement; null for a completion.</summary>
    internal static string? ErrorTypeOf(in Settlement settlement) => settlement.Fault switch
    {
        _ when settlement.Kind == SettlementKind.Complete => null,
        SettlementFault.Transient => "transient",
        SettlementFault.Refused => "refused",
        _ => settlement.Reason ?? settlement.ExceptionType ?? "abandoned",
    };

    /// <summary>
    /// Counts a dead letter that a source without a dead-letter queue has written durably. Has no effect for a source whose plan does not set
    /// <see cref="Sources.SourcePlan.KeepsDeadLetters"/>: the route counts its dead letters when they are settled.
    /// </summary>
    /// <param name="reason">The settlement's reason.</param>
    /// <param name="exceptionType">The settlement's exception type; null without one.</param>
    public void DeadLetterWritten(string? reason, string? exceptionType = null)
    {
        if (!CountsForSource)
        {
            CountDeadLetter(reason, exceptionType);
        }
    }

    /// <summary>Counts the dead letter of one of several messages in an envelope; the message around it is counted by its own settlement.</summary>
    internal void ElementDeadLetterWritten(string? reason, string? exceptionType)
    {
        Interlocked.Increment(ref _counts.Elements);
        CountDeadLetter(reason, exceptionType);
    }

    /// <summary>
    /// Counts a message as returned, because its dead letter could not be written. Has no effect where <see cref="DeadLetterWritten"/> has none.
    /// </summary>
    public void MessageReturned()
    {
        if (!CountsForSource)
        {
            Interlocked.Increment(ref _counts.Returned);
        }
    }

    /// <summary>Counts input that a source dropped because it was no whole message, for the report at the stop, the page and the alert.</summary>
    /// <param name="eventId">The id of the log event about it.</param>
    /// <param name="source">The name of the source, as in the section of its settings.</param>
    /// <param name="reason">Why, as a short code, such as <c>unterminated</c>.</param>
    /// <param name="advice">The probable cause and what to do: printable sentences. The page shows that of the reason with the most pieces.</param>
    /// <param name="isLost">False when the sender gets an answer, or sends the input again.</param>
    /// <param name="count">Pieces dropped, at least 1.</param>
    /// <param name="lostBytes">Their bytes that neither the sender nor a dead letter keeps; 0 when none, or when unknown.</param>
    public void InputDropped(int eventId, string source, string reason, string advice, bool isLost, long count = 1, long lostBytes = 0)
    {
        KeyValuePair<string, object?> tag = new("worker.reason", reason);
        if (isLost)
        {
            Interlocked.Add(ref _counts.Dropped, count);
        }

        lock (_counts.DroppedReasons)
        {
            _counts.DroppedReasons[reason] = _counts.DroppedReasons.GetValueOrDefault(reason) + count;
            _counts.DroppedBy[reason] = new DroppedInput(_counts.DroppedReasons, advice) { Event = eventId, Source = source };
            _counts.DroppedEpisode.Add(Stopwatch.GetTimestamp());
        }

        Dropped.TryAdd(count, _route, tag);
        if (lostBytes > 0)
        {
            LostBytes.TryAdd(lostBytes, _route, tag);
        }
    }

    /// <summary>Counts messages that a shutdown could neither store nor write to the dead letters.</summary>
    internal void MessagesLost(int count)
    {
        Interlocked.Add(ref _counts.Lost, count);
        Volatile.Write(ref _counts.LastLost, Stopwatch.GetTimestamp());
        Lost.TryAdd(count, _route);
    }

    internal void MessageSettled(in Settlement settlement, TimeSpan elapsed)
    {
        switch (settlement.Kind)
        {
            case SettlementKind.Complete:
                _counts.Stored.Increment();
                break;
            case SettlementKind.DeadLetter:
                if (_countsDecidedDeadLetters)
                {
                    CountDeadLetter(settlement.Reason, settlement.ExceptionType);
                }

                break;
            default:
                Interlocked.Increment(ref _counts.Returned);
                break;
        }

        if (ProcessDuration.Enabled)
        {
            ProcessDuration.Record(elapsed.TotalSeconds, ErrorTypeOf(settlement) is { } error ? [.. _processTags, new("error.type", error)] : _processTags);
        }
    }

    private void CountDeadLetter(string? reason, string? exceptionType)
    {
        Interlocked.Increment(ref _counts.DeadLetters);
        Volatile.Write(ref _counts.LastDeadLetter, Stopwatch.GetTimestamp());
        KeyValuePair<string, object?> tag = new("worker.reason", reason);
        if (exceptionType is null)
        {
            DeadLetters.TryAdd(1, _route, tag);
        }
        else
        {
            DeadLetters.TryAdd(1, _route, tag, new("error.type", Bounded(exceptionType)));
        }
    }

    // Types follow from code, not from messages, but a handler may generate them.
    private static string Bounded(string exceptionType)
    {
        if (ExceptionTypes.ContainsKey(exceptionType) || (ExceptionTypes.Count < MaxExceptionTypes && ExceptionTypes.TryAdd(exceptionType, true)))
        {
            return exceptionType;
        }

        return OtherExceptions;
    }

    private KeyValuePair<string, object?>[] TagsOf(MessageDestination? source, string operation) => source is null
        ? [_route]
        : [_route, new("messaging.operation.name", operation), new("messaging.system", source.System), new("messaging.destination.name", source.Name)];

    private static void CountRoutes(string name, string description, Func<RouteMetrics, long?> count) => Meter.CreateObservableCounter(
        name,
        () => from route in _running let value = count(route) where value is not null select new Measurement<long>(value.Value, route._route),
        "{message}",
        description);

    private static void GaugeInlets(string name, string? unit, string description, Func<InletGauges, double> value) => Meter.CreateObservableGauge(
        name,
        () => _running.SelectMany(
            route => route._inlets,
            (route, inlet) => new Measurement<double>(value(inlet), route._route, new KeyValuePair<string, object?>("worker.source", inlet.Source))),
        unit,
        description);

    private sealed class Counts
    {
        public volatile RouteMetrics[] Sources = [];
        public readonly StripedCounter Stored = new();
        public long Duplicates;
        public long Returned;
        public long DeadLetters;
        public long Elements;
        public long LastDeadLetter;
        public string? LastDescription;
        public long Lost;
        public long LastLost;
        public long Dropped;

        // Pieces by reason; also the gate of the advice and of the times.
        public readonly Dictionary<string, long> DroppedReasons = [];
        public readonly Dictionary<string, DroppedInput> DroppedBy = [];
        public readonly Episode DroppedEpisode = new();
    }
}

/// <summary>The gauges of one source of a route, read on collection.</summary>
internal sealed record InletGauges(
    string Source,
    Func<int> Limit,
    Func<int> InFlight,
    Func<int> Held,
    Func<double> OldestAgeSeconds,
    Func<int> BreakerState,
    Func<long> BytesInFlight,
    Func<bool> IsFailing,
    Func<int> SlowSettlements);
