using System.Diagnostics;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Sources;
using Quayside.Messaging.Stages;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Buffers;
using Quayside.Pipeline.Contexts;
using Quayside.Pipeline.Execution;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Intake;

/// <summary>
/// The intake of one source of a route: a fixed number of slots, each of which processes one message at a time on pool threads, from
/// acceptance to settlement. How many are in use follows the throughput. Slots are reused, so a message allocates nothing here.
/// One lock guards slots, bytes and waiters; slots are filled and freed several at a time, so that most messages do not take it.
/// </summary>
internal sealed partial class MessageIntake : IMessageIntake, ISlotOwner, IAsyncDisposable
{
    // Interval of the timeout check; a message may exceed its timeout by as much.
    private static readonly TimeSpan WatchInterval = TimeSpan.FromMilliseconds(500);

    // Messages accepted under one lock; their sizes are on the stack.
    private const int BatchLimit = 64;

    private readonly string _route;
    private readonly string _source;
    private readonly IPipeline<MessageContext> _pipeline;
    private readonly IntakeOptions _options;
    private readonly RecoverabilityPolicy _policy;
    private readonly CircuitBreaker _breaker;
    private readonly RouteMetrics _metrics;
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private readonly LogThrottle _heldLog;
    private readonly TimeoutWatch _timeouts;
    private readonly ITimer _watch;
    private readonly MessageSlot[] _slots;
    private readonly SlotLimit _limit;
    private readonly SlotPump _pump;

    private readonly Lock _lock = new();
    private readonly Stack<MessageSlot> _freeSlots;
    private readonly LinkedList<SlotRequest> _waiting = new();
    private readonly BoundedPool<SlotRequest> _requests;
    private int _free;
    private long _bytes;

    // Slots whose messages are settled, until the next thread under the lock takes them.
    private MessageSlot? _finished;

    // The breaker's probe while its slot is reserved but has no message yet; 0 otherwise.
    private long _probe;
    private bool _stopping;
    private bool _aborting;
    private TaskCompletionSource? _drained;

    public MessageIntake(
        string route,
        string source,
        IPipeline<MessageContext> pipeline,
        IntakeOptions options,
        RecoverabilityPolicy policy,
        CircuitBreaker breaker,
        RouteMetrics metrics,
        TimeProvider time,
        ILogger logger,
        SlotRange? slots = null)
    {
        SlotRange range = slots ?? new SlotRange(options.Concurrency, options.Concurrency, options.Concurrency);
        _route = route;
        _source = source;
        Destination = new MessageDestination(source, route);
        _pipeline = pipeline;
        _options = options;
        _policy = policy;
        _breaker = breaker;
        _metrics = metrics;
        _time = time;
        _logger = logger;
        _notStoredLog = new ReasonThrottle(time);
        _heldLog = new LogThrottle(time, ReasonThrottle.Interval);
        _defectLog = new LogThrottles<string>(time, HandlerReports.Interval);
        _exceptionLog = new LogThrottles<(Type, string)>(time, HandlerReports.Interval);
        PartFailures = new FailureRun(time);
        SettlementFailures = new FailureRun(time);
        _limit = new SlotLimit(range, time.TimestampFrequency);
        _free = range.Max;

        // Every waiter needs at least one slot, so more pooled requests than slots are useless.
        _requests = new BoundedPool<SlotRequest>(range.Max);
        _slots = new MessageSlot[range.Max];
        _freeSlots = new Stack<MessageSlot>(range.Max);
        for (int i = _slots.Length - 1; i >= 0; i--)
        {
            _slots[i] = new MessageSlot(this);
            _freeSlots.Push(_slots[i]);
        }

        _pump = new SlotPump(this, range.Max);
        _timeouts = new TimeoutWatch(_slots, options.MessageTimeout, route, source, time, logger);
        _breaker.Closed += BreakerClosed;
        _breaker.Throttling += Throttled;
        _watch = time.CreateTimer(static state => ((MessageIntake)state!).Watch(), this, WatchInterval, WatchInterval);
    }

    /// <summary>The source of the messages, for their spans.</summary>
    public MessageDestination Destination { get; init; }

    /// <summary>Largest body that reaches the pipeline; a message with a larger one is dead-lettered.</summary>
    public long MaxMessageBytes { get; init; } = long.MaxValue;

    /// <summary>Shown the bodies of dead letters.</summary>
    public Action<ReadOnlyMemory<byte>> LookForEnvelope { get; init; } = static _ => { };

    /// <summary>The handler and the sink, for the log line about a message that hangs.</summary>
    public string Parts
    {
        init => _timeouts.Parts = value;
    }

    /// <summary>True when the source itself starts the spans of its settlements.</summary>
    public bool TracesSettlement { get; init; }

    /// <summary>Messages in flight, held ones included; reserved slots without a message do not count.</summary>
    public int InFlight
    {
        get
        {
            lock (_lock)
            {
                TakeFinished();
                return _slots.Length - _freeSlots.Count;
            }
        }
    }

    /// <summary>Body bytes of the messages in flight.</summary>
    public long BytesInFlight
    {
        get
        {
            lock (_lock)
            {
                TakeFinished();
                return _bytes;
            }
        }
    }

    /// <summary>Time since the oldest message in flight was accepted; zero when there is none.</summary>
    public TimeSpan OldestAge => _slots.Max(slot => slot.Age);

    /// <summary>Work items used so far, for tests.</summary>
    internal long WorkItems => _pump.Posts;

    internal IPipeline<MessageContext> Pipeline => _pipeline;

    internal TimeProvider Time => _time;

    public void Accept(ReceivedMessage message) => Accept(new ReadOnlySpan<ReceivedMessage>(in message));

    public void Accept(ReadOnlySpan<ReceivedMessage> messages)
    {
        // Sizes are read outside the lock, because a source's code reads the body.
        Span<int> sizes = stackalloc int[BatchLimit];
        while (!messages.IsEmpty)
        {
            ReadOnlySpan<ReceivedMessage> batch = messages[..Math.Min(messages.Length, BatchLimit)];
            messages = messages[batch.Length..];
            for (int i = 0; i < batch.Length; i++)
            {
                sizes[i] = SizeOf(batch[i]);
            }

            Accept(batch, sizes);
        }
    }

    /// <summary>From here on <see cref="TryReserve"/> answers Stopping, and held messages are not retried.</summary>
    public void Stop()
    {
        lock (_lock)
        {
            _stopping = true;
        }
    }

    /// <summary>Waits until every slot is free.</summary>
    /// <exception cref="OperationCanceledException">The token was cancelled first; some messages are still in flight.</exception>
    public Task DrainAsync(CancellationToken cancellationToken)
    {
        lock (_lock)
        {
            TakeFinished();
            if (_free == _slots.Length)
            {
                return Task.CompletedTask;
            }

            _drained ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            return _drained.Task.WaitAsync(cancellationToken);
        }
    }

    /// <summary>Cancels every message in flight, and each that a source still accepts; they are abandoned.</summary>
    public void Abort()
    {
        ReturnHeld();
        lock (_lock)
        {
            _aborting = true;
        }

        foreach (MessageSlot slot in _slots)
        {
            slot.Cancel(Cancellation.Shutdown);
        }
    }

    public async ValueTask DisposeAsync()
    {
        _breaker.Closed -= BreakerClosed;
        _breaker.Throttling -= Throttled;
        await _watch.DisposeAsync();
    }

    /// <summary>Reads the body again, of a message without an id, or whose size is above the limit or could not be read.</summary>
    /// <returns>True when the message must not reach the pipeline: by its settlement, or by the exception of reading it.</returns>
    internal bool IsRefused(ReceivedMessage message, out Settlement settlement, out Exception? failure)
    {
        settlement = default;
        failure = null;
        try
        {
            int length = message.Body.Length;
            bool hasId = !message.SourceId.IsEmpty;
            if (hasId && length <= MaxMessageBytes)
            {
                return false;
            }

            settlement = !hasId ? ReportNoId()
                : Settlement.DeadLetter("too-large", $"The body has {length} bytes; Stages:MaxMessageBytes allows {MaxMessageBytes}.");
        }
        catch (Exception exception)
        {
            failure = exception;
        }

        TracingBehavior.Record(Destination, message, settlement, failure);
        return true;
    }

    internal bool TryRead(Exception failure, Cancellation cancellation, out Settlement settlement) => _policy.TryRead(failure, cancellation, out settlement);

    internal Settlement Decide(
        ReceivedMessage message, Settlement decided, Exception? exception, Cancellation cancellation, long acceptedAt, TimeSpan returnDelay)
    {
        Settlement settlement;
        try
        {
            settlement = _policy.Decide(decided, exception, message.DeliveryCount, cancellation);
        }
        catch (Exception broken)
        {
            // A delivery count or an exception's text of foreign code that throws: the message must still be settled.
            settlement = Settlement.Abandon(TimeSpan.Zero, $"Its settlement could not be decided ({broken.GetType().Name}).", broken.GetType().FullName);
        }

        if (settlement.Kind == SettlementKind.Abandon && settlement.Delay < returnDelay)
        {
            settlement = settlement with { Delay = returnDelay };
        }

        try
        {
            ReportFault(message, decided, exception, cancellation);
            Report(message, settlement, cancellation, acceptedAt);
        }
        catch (Exception)
        {
            // A log or metrics listener that throws must not change the settlement.
        }

        return settlement;
    }

    /// <summary>The settlement's span; null without a listener, or when the source starts its own.</summary>
    internal Activity? StartSettle(ReceivedMessage message) =>
        message.Span is { } span && !TracesSettlement ? MessageSpans.StartSettle(Destination, span) : null;

    internal static void EndSettle(Activity? span, Exception? failure)
    {
        if (span is not null && failure is not null)
        {
            MessageSpans.Fail(span, failure);
        }

        MessageSpans.End(span);
    }

    /// <summary>The slot's message is settled; <see cref="ReturnFinished"/> follows.</summary>
    internal void Finished(MessageSlot slot)
    {
        if (SettlementFailures.Any)
        {
            SettlementEnded();
        }

        MessageSlot? first = Volatile.Read(ref _finished);
        while (true)
        {
            slot.NextFinished = first;
            MessageSlot? found = Interlocked.CompareExchange(ref _finished, slot, first);
            if (found == first)
            {
                return;
            }

            first = found;
        }
    }

    /// <summary>Frees the finished slots, and grants them to sources that wait.</summary>
    internal void ReturnFinished()
    {
        lock (_lock)
        {
            TakeFinished();
            CheckDrained();
            GrantWaiting();
        }
    }

    private void Accept(ReadOnlySpan<ReceivedMessage> batch, ReadOnlySpan<int> sizes)
    {
        long now = _time.GetTimestamp();
        lock (_lock)
        {
            if (Reserved < batch.Length)
            {
                throw new InvalidOperationException(
                    $"Accept was called for {batch.Length} message(s), but only {Reserved} slots are reserved. "
                        + "Reserve them with ReserveAsync or TryReserve first.");
            }

            _metrics.MessagesReceived(batch.Length);
            _limit.Accepted(batch.Length);
            for (int i = 0; i < batch.Length; i++)
            {
                MessageSlot slot = _freeSlots.Pop();
                _bytes += sizes[i];
                if (_probe != 0)
                {
                    // Any reserved slot will do: this is the first message to reach the sink.
                    slot.Probe = _probe;
                    _probe = 0;
                    _breaker.ProbeWorking(slot.Probe);
                }

                slot.Open(batch[i], sizes[i], now);
                if (_aborting)
                {
                    slot.Cancel(Cancellation.Shutdown);
                }

                _pump.Add(slot);
            }

            if (_limit.Update(now))
            {
                GrantWaiting();
            }
        }

        _pump.Post();
    }

    private void Watch()
    {
        long now = _time.GetTimestamp();
        _timeouts.Check(now);
        _breaker.Tick();
        SafeLog.Try(() => LogSummaries(all: false));

        // No event marks the time at which an open breaker may be probed or a held message is due.
        RetryHeld();
        ReturnFinished();
        lock (_lock)
        {
            if (_limit.Update(now))
            {
                GrantWaiting();
            }
        }
    }

    /// <summary>
    /// A body that is unreadable, or of a message without an id, counts as empty: <see cref="IsRefused"/> reads both again, and decides the settlement.
    /// </summary>
    private static int SizeOf(ReceivedMessage message)
    {
        try
        {
            return message.SourceId.IsEmpty ? 0 : message.Body.Length;
        }
        catch (Exception)
        {
            return 0;
        }
    }
}
