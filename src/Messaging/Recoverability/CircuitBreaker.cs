using Microsoft.Extensions.Logging;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Recoverability;

/// <summary>
/// Watches a route's sink: while the sink fails, no message is received, so that delivery counts do not rise and no message is dead-lettered
/// because of the sink. A terminator reports the outcome of each store with <see cref="Succeeded"/>, <see cref="Failed"/> or
/// <see cref="Refused"/>; in a route without a sink, the handler reports the outcome of its calls. Threads: any.
/// </summary>
/// <param name="route">The route's name.</param>
/// <param name="options">When the breaker opens, and for how long.</param>
/// <param name="time">The clock.</param>
/// <param name="logger">The route's log.</param>
/// <param name="hasSink">False when it watches a handler; used for log messages.</param>
internal sealed partial class CircuitBreaker(string route, RecoverabilityOptions options, TimeProvider time, ILogger logger, bool hasSink = true) : IBreaker
{
    /// <summary>The time in which the share of failures is counted.</summary>
    internal static readonly TimeSpan Window = TimeSpan.FromMinutes(1);

    // Stores in the window before the share counts.
    private const int Minimum = 100;

    // Sources that have messages probe the sink within this time after the open time has ended.
    private static readonly TimeSpan MessagesFirst = TimeSpan.FromSeconds(1);

    // The longest wait for the worker's own check, after messages that failed although the check had succeeded.
    private static readonly TimeSpan LongestCheckWait = TimeSpan.FromMinutes(5);

    // After this time without a success the sink is checked: that it is gone would show only with the next message. One request per minute of an idle route
    // costs about $0.22 per month with S3 (docs/guides/costs.md).
    private static readonly TimeSpan IdleLimit = TimeSpan.FromMinutes(1);

    private readonly Lock _lock = new();
    private readonly FailureWindow _window = new(Window, time);
    private readonly StripedCounter _successes = new();
    private int _failuresInRow;

    // True while a success changes nothing but its count: the breaker is closed and the last store did not fail.
    private volatile bool _isFastPath = true;
    private volatile BreakerState _state;
    private long _openedAt;
    private DateTimeOffset _since = time.GetUtcNow();

    // The number of the current probe; 0 without one. Numbered, so that a late return of an earlier probe does not end the current one.
    private long _probe;
    private long _probes;
    private long _probeGivenAt;
    private bool _probeWorking;

    // The sink has answered the worker's check since the last failure, and how often a message then failed all the same.
    private volatile bool _answers;
    private int _failuresAfterCheck;

    // The successes at the last tick, when they last changed or a check was asked for, and whether there has been none for the limit.
    private long _seen;
    private long _seenAt = time.GetTimestamp();
    private bool _isIdle;

    /// <summary>What it watches, for log messages.</summary>
    internal string Part => hasSink ? "sink" : "handler";

    /// <summary>Raised outside the lock when the breaker has closed.</summary>
    internal event Action? Closed;

    /// <summary>
    /// Raised outside the lock when the sink has to be checked: the breaker has opened, a message failed while it let messages in, or none succeeded for a
    /// minute.
    /// </summary>
    internal event Action? CheckNeeded;

    /// <summary>Raised by <see cref="Throttled"/>.</summary>
    internal event Action? Throttling;

    /// <summary>The current state. After its open time a breaker stays open until a source asks to receive.</summary>
    public BreakerState State => _state;

    /// <summary>When the breaker entered its state; failed probes do not restart an open state.</summary>
    internal DateTimeOffset Since
    {
        get
        {
            lock (_lock)
            {
                return _since;
            }
        }
    }

    /// <summary>Time until an open breaker allows a probe, zero when it waits for one; null while it is closed.</summary>
    internal TimeSpan? NextProbe
    {
        get
        {
            lock (_lock)
            {
                TimeSpan left = options.BreakerOpen - time.GetElapsedTime(_openedAt);
                return _state == BreakerState.Closed ? null : left > TimeSpan.Zero ? left : TimeSpan.Zero;
            }
        }
    }

    /// <summary>Successes since the start; shows whether the sink worked between two failures of one message.</summary>
    internal long Successes => _successes.Value;

    /// <summary>
    /// True while the breaker is not closed, the worker's own check of the sink has succeeded since the last failure, and so the next message
    /// decides.
    /// </summary>
    internal bool NextMessageDecides => _answers;

    /// <summary>
    /// Time until the worker checks the sink by itself: a second after the open time, so that messages probe it first, and twice as long after
    /// each message that failed although the check had succeeded. Null while no check is needed.
    /// </summary>
    internal TimeSpan? CheckIn
    {
        get
        {
            lock (_lock)
            {
                if (_state == BreakerState.Closed || _answers)
                {
                    return null;
                }

                double bound = Math.Max(
                    options.BreakerOpen.TotalSeconds,
                    Math.Min(options.BreakerOpen.TotalSeconds * (1L << Math.Min(_failuresAfterCheck, 30)), LongestCheckWait.TotalSeconds));
                TimeSpan left = TimeSpan.FromSeconds(bound) + MessagesFirst - time.GetElapsedTime(_openedAt);
                return left > TimeSpan.Zero ? left : TimeSpan.Zero;
            }
        }
    }

    /// <summary>True while the breaker is closed and the last message failed, and while messages may arrive and none has succeeded for a minute.</summary>
    internal bool HasRecentFailure
    {
        get
        {
            lock (_lock)
            {
                return _state == BreakerState.Closed ? _failuresInRow > 0 || _isIdle : _answers && _isIdle;
            }
        }
    }

    /// <summary>True while messages may arrive: the breaker is closed, or the next message decides.</summary>
    internal bool Admits => State == BreakerState.Closed || NextMessageDecides;

    /// <summary>True when the sink refuses the worker itself and an operator has to act.</summary>
    internal bool IsRefused { get; private set; }

    /// <summary>The detail of the last failure; null while the breaker is closed.</summary>
    public string? LastFailure { get; private set; }

    /// <summary>
    /// The sink stored an object. Closes a half-open breaker, but not an open one: with a sink that fails only in part, a message from before
    /// the opening would close it immediately.
    /// </summary>
    public void Succeeded()
    {
        _successes.Increment();
        if (_isFastPath)
        {
            return;
        }

        bool closed = false;
        lock (_lock)
        {
            _window.Update(_successes.Value);
            _failuresInRow = 0;
            if (_state == BreakerState.HalfOpen)
            {
                Close();
                closed = true;
            }

            _isFastPath = _state == BreakerState.Closed;
        }

        if (closed)
        {
            LogClosed(route, Part);
            Closed?.Invoke();
        }
    }

    /// <summary>The sink failed with a transient fault.</summary>
    /// <param name="detail">Which call failed and how, for logs and health pages: one line, without secrets.</param>
    public void Failed(string detail) => Fail(detail, refused: false, opens: false);

    /// <summary>The sink refuses the worker itself: the breaker opens immediately.</summary>
    /// <param name="detail">As for <see cref="Failed"/>, with what the operator can do.</param>
    public void Refused(string detail) => Fail(detail, refused: true, opens: true);

    /// <summary>After a message that failed, the worker's own check of the sink failed too: the breaker opens.</summary>
    internal void CheckFailed(string detail) => Fail(detail, refused: false, opens: true);

    /// <summary>
    /// One call of the sink was too much for its store, which throttled it or did not answer in time: fewer messages are in flight from here on.
    /// Says nothing about the message, whose store may still succeed.
    /// </summary>
    public void Throttled() => Throttling?.Invoke();

    /// <summary>The messages that may be received now: all (closed), one probe (half open) or none (open).</summary>
    internal BreakerState UpdateState()
    {
        if (_isFastPath)
        {
            return BreakerState.Closed;
        }

        lock (_lock)
        {
            if (_state == BreakerState.Open && time.GetElapsedTime(_openedAt) >= options.BreakerOpen)
            {
                _state = BreakerState.HalfOpen;
                _probe = 0;
            }

            return _state == BreakerState.HalfOpen && IsProbeOut() ? BreakerState.Open : _state;
        }
    }

    /// <summary>The worker's own check of the sink has succeeded: the next message may probe it, and decides. A check alone never closes the breaker.</summary>
    /// <returns>False when that was known, or a message already probes the sink.</returns>
    internal bool CheckSucceeded()
    {
        lock (_lock)
        {
            if (_state == BreakerState.Closed || _answers || (_probe != 0 && _probeWorking))
            {
                return false;
            }

            _probe = _state == BreakerState.Open ? 0 : _probe;
            _state = BreakerState.HalfOpen;
            _answers = true;
            return true;
        }
    }

    /// <summary>Counts the successes since the last call in the window. Called twice per second.</summary>
    internal void Tick()
    {
        bool isIdle;
        lock (_lock)
        {
            long successes = _successes.Value;
            _window.Update(successes);
            isIdle = successes == _seen && time.GetElapsedTime(_seenAt) >= IdleLimit;
            _isIdle = isIdle || (_isIdle && successes == _seen);
            _seenAt = isIdle || successes != _seen ? time.GetTimestamp() : _seenAt;
            _seen = successes;
        }

        if (isIdle)
        {
            CheckNeeded?.Invoke();
        }
    }

    /// <summary>A slot was granted for the probe. There is no second probe until it returns or <c>BreakerOpen</c> has passed without a message.</summary>
    /// <returns>The probe's number, never 0.</returns>
    internal long ProbeGiven()
    {
        lock (_lock)
        {
            _probe = ++_probes;
            _probeGivenAt = time.GetTimestamp();
            _probeWorking = false;
            return _probe;
        }
    }

    /// <summary>The probe has a message.</summary>
    internal void ProbeWorking(long probe)
    {
        lock (_lock)
        {
            _probeWorking |= _probe == probe;
        }
    }

    /// <summary>The probe has returned; if it did not reach the sink, the next message may be the probe.</summary>
    internal void ProbeReturned(long probe)
    {
        lock (_lock)
        {
            if (_probe == probe)
            {
                _probe = 0;
            }
        }
    }

    /// <summary>Under the lock. A source with an empty queue may keep its probe; other sources may then probe after <c>BreakerOpen</c>.</summary>
    private bool IsProbeOut() => _probe != 0 && (_probeWorking || time.GetElapsedTime(_probeGivenAt) < options.BreakerOpen);

    private void Fail(string detail, bool refused, bool opens)
    {
        bool opened = false;
        bool isCheckNeeded;
        lock (_lock)
        {
            _window.Update(_successes.Value);
            isCheckNeeded = _answers || _state == BreakerState.Closed;
            _failuresAfterCheck += _answers ? 1 : 0;
            _answers = false;
            _isFastPath = false;
            _window.AddFailure();
            _failuresInRow++;
            if (opens
                || _state == BreakerState.HalfOpen
                || _failuresInRow >= options.BreakerFailures
                || _window.Exceeds(Minimum, options.BreakerRatio))
            {
                _since = _state == BreakerState.Closed ? time.GetUtcNow() : _since;
                opened = _state == BreakerState.Closed || (refused && !IsRefused);
                IsRefused |= refused;
                _state = BreakerState.Open;
                _openedAt = time.GetTimestamp();
            }

            if (_state != BreakerState.Closed)
            {
                LastFailure = detail;
            }
        }

        // Before the log, which may throw: without its check a route without messages would stay not ready.
        if (opened || isCheckNeeded)
        {
            CheckNeeded?.Invoke();
        }

        if (opened)
        {
            LogOpened(route, Part, DurationText.Of(options.BreakerOpen), UntrustedText.Shorten(detail));
        }
    }

    private void Close()
    {
        _state = BreakerState.Closed;
        _since = time.GetUtcNow();
        _probe = 0;
        _answers = false;
        _failuresAfterCheck = 0;
        IsRefused = false;
        LastFailure = null;
        _window.Clear();
    }

    [LoggerMessage(
        2001, LogLevel.Error, "Route {Route}: the {Part} fails; receiving is paused, and one message probes it every {Pause}. Last failure: {Detail}")]
    private partial void LogOpened(string route, string part, string pause, string detail);

    [LoggerMessage(2002, LogLevel.Information, "Route {Route}: the {Part} works again; receiving resumes")]
    private partial void LogClosed(string route, string part);
}

/// <summary>The circuit breaker's state; the numbers are the values of the metric.</summary>
internal enum BreakerState
{
    /// <summary>Receiving is allowed.</summary>
    Closed = 0,

    /// <summary>One message at a time probes the sink.</summary>
    HalfOpen = 1,

    /// <summary>Receiving is paused.</summary>
    Open = 2,
}
