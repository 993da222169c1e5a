using Microsoft.Extensions.Logging;
using Pipeline.Buffers;
using Pipeline.Contexts;
using Pipeline.Execution;
using Pipeline.Messages;
using Pipeline.Settlements;
using Worker.Recoverability;
using Worker.Sources;
using Worker.Telemetry;

namespace Worker.Intake;

/// <summary>
/// The intake of one source of a route: a fixed number of slots, each of which carries one message from acceptance to settlement on pool threads.
/// Slots are made once and reused, so a message allocates nothing here. One short lock guards slots, bytes and waiters.
/// </summary>
internal sealed partial class MessageIntake : IMessageIntake, IAsyncDisposable
{
    // How far past its timeout a message may run before the worker calls itself stuck: time for a cancelled call to unwind.
    private static readonly TimeSpan StuckAfter = TimeSpan.FromSeconds(15);

    // Timeouts are checked this often; a message may overrun its time by as much.
    private static readonly TimeSpan WatchInterval = TimeSpan.FromMilliseconds(500);

    private readonly string _route;
    private readonly IPipeline<PhysicalContext> _pipeline;
    private readonly IntakeOptions _options;
    private readonly RecoverabilityPolicy _policy;
    private readonly CircuitBreaker _breaker;
    private readonly RouteMetrics _metrics;
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private readonly LogThrottle _returnedLog;
    private readonly ITimer _watch;
    private readonly MessageSlot[] _slots;

    private readonly Lock _lock = new();
    private readonly Stack<MessageSlot> _freeSlots;
    private readonly LinkedList<SlotRequest> _waiting = new();
    private readonly BoundedPool<SlotRequest> _requests;
    private int _free;
    private long _bytes;

    // The breaker's probe while it is reserved and carries no message yet; 0 otherwise.
    private long _probe;
    private bool _stopping;
    private TaskCompletionSource? _drained;
    private volatile bool _stuck;

    public MessageIntake(
        string route,
        string source,
        IPipeline<PhysicalContext> pipeline,
        IntakeOptions options,
        RecoverabilityPolicy policy,
        CircuitBreaker breaker,
        RouteMetrics metrics,
        TimeProvider time,
        ILogger logger)
    {
        _route = route;
        _pipeline = pipeline;
        _options = options;
        _policy = policy;
        _breaker = breaker;
        _metrics = metrics;
        _time = time;
        _logger = logger;
        _returnedLog = new LogThrottle(time, TimeSpan.FromSeconds(1));
        _free = options.Concurrency;

        // Who waits asks for at least one slot: more of them than slots are not worth keeping.
        _requests = new BoundedPool<SlotRequest>(options.Concurrency);
        _slots = new MessageSlot[options.Concurrency];
        _freeSlots = new Stack<MessageSlot>(options.Concurrency);
        for (int i = _slots.Length - 1; i >= 0; i--)
        {
            _slots[i] = new MessageSlot(this);
            _freeSlots.Push(_slots[i]);
        }

        _breaker.Relaxed += LookAgain;
        _watch = time.CreateTimer(static state => ((MessageIntake)state!).Watch(), this, WatchInterval, WatchInterval);
        metrics.Observe(source, () => InFlight, () => OldestAge.TotalSeconds, () => (int)_breaker.State, () => BytesInFlight);
    }

    /// <summary>Messages being worked on; slots that are only reserved do not count.</summary>
    public int InFlight
    {
        get
        {
            lock (_lock)
            {
                return _slots.Length - _freeSlots.Count;
            }
        }
    }

    /// <summary>Body bytes being worked on.</summary>
    public long BytesInFlight
    {
        get
        {
            lock (_lock)
            {
                return _bytes;
            }
        }
    }

    /// <summary>How long the oldest message has been worked on; zero when there is none.</summary>
    public TimeSpan OldestAge => _slots.Max(slot => slot.Age);

    /// <summary>True when a message has ignored its cancellation for so long that its slot must be taken for lost.</summary>
    public bool IsStuck => _stuck;

    // Slots given out that carry no message; read under the lock.
    private int Reserved => _freeSlots.Count - _free;

    internal IPipeline<PhysicalContext> Pipeline => _pipeline;

    internal TimeProvider Time => _time;

    public ValueTask<int> ReserveAsync(int min, int max, CancellationToken cancellationToken)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(min, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(max, min);
        cancellationToken.ThrowIfCancellationRequested();
        min = Math.Min(min, _slots.Length);
        SlotRequest request;
        lock (_lock)
        {
            // Whoever waits already goes first.
            int granted = _waiting.Count == 0 ? Grant(min, max) : 0;
            if (granted > 0)
            {
                return new ValueTask<int>(granted);
            }

            request = _requests.TryTake(out SlotRequest? pooled) ? pooled : new SlotRequest(this);
            request.Open(min, max, cancellationToken);
            _waiting.AddLast(request.Node);
        }

        return request.WaitAsync();
    }

    public IntakeAnswer TryReserve()
    {
        lock (_lock)
        {
            if (_stopping)
            {
                return IntakeAnswer.Stopping;
            }

            if (_breaker.AskToReceive() == BreakerState.Open)
            {
                return IntakeAnswer.Paused;
            }

            return _waiting.Count == 0 && Grant(1, 1) == 1 ? IntakeAnswer.Reserved : IntakeAnswer.Full;
        }
    }

    public void Release(int slots)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(slots);
        if (slots == 0)
        {
            return;
        }

        lock (_lock)
        {
            if (slots > Reserved)
            {
                throw new InvalidOperationException($"{slots} slots were given back, but only {Reserved} are reserved.");
            }

            _free += slots;
            EndUnusedProbe();
            CheckDrained();
            GrantWaiting();
        }
    }

    public void Accept(ReceivedMessage message)
    {
        int bytes = message.Body.Length;
        MessageSlot slot;
        lock (_lock)
        {
            if (Reserved == 0)
            {
                throw new InvalidOperationException("A message was handed in without a reserved slot.");
            }

            slot = _freeSlots.Pop();
            _bytes += bytes;
            if (_probe != 0)
            {
                // Whichever reserved slot it is: this is the message that reaches the sink first.
                slot.Probe = _probe;
                _probe = 0;
                _breaker.ProbeWorking(slot.Probe);
            }
        }

        _metrics.MessageReceived();
        slot.Start(message, bytes);
    }

    /// <summary>From now on <see cref="TryReserve"/> says that the worker is stopping.</summary>
    public void Stop()
    {
        lock (_lock)
        {
            _stopping = true;
        }
    }

    /// <summary>Waits until every slot is free.</summary>
    /// <exception cref="OperationCanceledException">The token ended first; some messages are still being worked on.</exception>
    public Task DrainAsync(CancellationToken cancellationToken)
    {
        lock (_lock)
        {
            if (_free == _slots.Length)
            {
                return Task.CompletedTask;
            }

            _drained ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            return _drained.Task.WaitAsync(cancellationToken);
        }
    }

    /// <summary>Cancels every message being worked on; they go back to their source.</summary>
    public void Abort()
    {
        foreach (MessageSlot slot in _slots)
        {
            slot.Cancel(Cancellation.Shutdown);
        }
    }

    public async ValueTask DisposeAsync()
    {
        _breaker.Relaxed -= LookAgain;
        await _watch.DisposeAsync();
    }

    internal Settlement Decide(ReceivedMessage message, Settlement decided, Exception? exception, Cancellation cancellation, TimeSpan elapsed)
    {
        Settlement settlement = _policy.Decide(decided, exception, message.DeliveryCount, cancellation);
        _metrics.MessageSettled(settlement, elapsed);
        if (settlement.Kind == SettlementKind.Complete)
        {
            return settlement;
        }

        if (cancellation == Cancellation.Timeout)
        {
            _metrics.MessageTimedOut();
        }

        try
        {
            LogNotStored(message, settlement);
        }
        catch (Exception)
        {
            // A log that fails must not decide what becomes of the message.
        }

        return settlement;
    }

    internal void SettlingFailed(Exception exception)
    {
        try
        {
            LogSettlingFailed(exception, _route);
        }
        catch (Exception)
        {
            // Thrown on a pool thread it would end the process, and the slot would be lost.
        }
    }

    internal void Finished(MessageSlot slot, int bytes)
    {
        lock (_lock)
        {
            _free++;
            _bytes -= bytes;
            _freeSlots.Push(slot);
            if (slot.Probe != 0)
            {
                _breaker.ProbeReturned(slot.Probe);
                slot.Probe = 0;
            }

            CheckDrained();
            GrantWaiting();
        }
    }

    /// <summary>The caller of a request has given up.</summary>
    internal void Withdraw(SlotRequest request)
    {
        lock (_lock)
        {
            if (request.Node.List is null)
            {
                return;
            }

            _waiting.Remove(request.Node);
            request.Cancel();

            // Without this request in front, the next one may be served.
            GrantWaiting();
        }
    }

    internal void Recycle(SlotRequest request) => _requests.Return(request);

    /// <summary>Under the lock: the probe is over when nobody can hold it any more.</summary>
    private void EndUnusedProbe()
    {
        if (_probe != 0 && Reserved == 0)
        {
            _breaker.ProbeReturned(_probe);
            _probe = 0;
        }
    }

    /// <summary>Under the lock.</summary>
    private void CheckDrained()
    {
        if (_free == _slots.Length)
        {
            _drained?.SetResult();
            _drained = null;
        }
    }

    private void LookAgain()
    {
        lock (_lock)
        {
            GrantWaiting();
        }
    }

    /// <summary>Under the lock.</summary>
    private void GrantWaiting()
    {
        while (_waiting.First is { } first)
        {
            SlotRequest request = first.Value;
            int granted = Grant(request.Min, request.Max);
            if (granted == 0)
            {
                return;
            }

            _waiting.Remove(first);
            request.Grant(granted);
        }
    }

    /// <summary>Takes slots if the rules allow it now; called under the lock.</summary>
    private int Grant(int min, int max)
    {
        if (_free == 0 || _bytes >= _options.BytesInFlight)
        {
            return 0;
        }

        switch (_breaker.AskToReceive())
        {
            case BreakerState.Open:
                return 0;
            case BreakerState.HalfOpen when _free > 0:
                _probe = _breaker.ProbeGiven();
                _free--;
                return 1;
            case BreakerState.Closed when _free >= min:
                int granted = Math.Min(_free, max);
                _free -= granted;
                return granted;
            default:
                return 0;
        }
    }

    private void Watch()
    {
        bool stuck = false;
        foreach (MessageSlot slot in _slots)
        {
            TimeSpan age = slot.Age;
            if (age > _options.MessageTimeout)
            {
                slot.Cancel(Cancellation.Timeout);
                stuck |= age > _options.MessageTimeout + StuckAfter;
            }
        }

        if (stuck && !_stuck)
        {
            LogStuck(_route, _options.MessageTimeout + StuckAfter);
        }

        _stuck = stuck;

        // An open breaker's time passes without any event; this is where somebody looks again.
        LookAgain();
    }

    private void LogNotStored(ReceivedMessage message, in Settlement settlement)
    {
        if (settlement.Kind == SettlementKind.DeadLetter)
        {
            LogDeadLetter(_route, UntrustedText.Shorten(message.SourceId.Span), settlement.Reason, UntrustedText.Shorten(settlement.Description), message.DeliveryCount);
        }
        else if (_returnedLog.ShouldLog(out long suppressed))
        {
            LogReturned(_route, UntrustedText.Shorten(message.SourceId.Span), message.DeliveryCount, settlement.Delay, UntrustedText.Shorten(settlement.Description), suppressed);
        }
    }

    [LoggerMessage(5001, LogLevel.Warning, "Route {Route}: message {Id} is dead-lettered as {Reason} on delivery {Delivery}: {Description}")]
    private partial void LogDeadLetter(string route, string id, string? reason, string? description, int delivery);

    [LoggerMessage(5002, LogLevel.Warning, "Route {Route}: message {Id} goes back to its source (delivery {Delivery}, comes again in {Delay}): {Description} ({Suppressed} more in the last second not shown)")]
    private partial void LogReturned(string route, string id, int delivery, TimeSpan delay, string? description, long suppressed);

    [LoggerMessage(5003, LogLevel.Critical, "Route {Route}: a message ignores its cancellation for more than {Limit}; its slot is lost until the process restarts")]
    private partial void LogStuck(string route, TimeSpan limit);

    [LoggerMessage(5004, LogLevel.Error, "Route {Route}: settling a message failed; its source will deliver it again")]
    private partial void LogSettlingFailed(Exception exception, string route);
}
