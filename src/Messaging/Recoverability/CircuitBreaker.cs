using Messaging.Telemetry;
using Microsoft.Extensions.Logging;

namespace Messaging.Recoverability;

/// <summary>
/// Watches a route's sink: while the sink is down no message is received, so that delivery counts do not rise and no message is
/// dead-lettered for the sink's fault. A terminator reports every outcome of a store, with <see cref="Succeeded"/>, <see cref="Failed"/> or
/// <see cref="Refused"/>; in a route without a sink the handler reports on what it calls. Threads: any; every call takes one short lock.
/// </summary>
/// <param name="route">The route's name.</param>
/// <param name="options">When it opens, and for how long.</param>
/// <param name="time">The clock.</param>
/// <param name="logger">The route's log.</param>
/// <param name="hasSink">False where it watches a handler, for the words of the log.</param>
public sealed partial class CircuitBreaker(string route, RecoverabilityOptions options, TimeProvider time, ILogger logger, bool hasSink = true)
{
    // The window rotates in this many buckets: old results leave in steps of a sixth of it.
    private const int Buckets = 6;

    // Sources that wait for a slot ask again twice a second.
    private static readonly TimeSpan AskedWithin = TimeSpan.FromSeconds(1);

    private readonly Lock _lock = new();
    private readonly long _bucketTicks = Math.Max(1, (long)(options.BreakerWindow.TotalSeconds * time.TimestampFrequency / Buckets));
    private readonly int[] _succeeded = new int[Buckets];
    private readonly int[] _failed = new int[Buckets];

    private long _bucket;
    private int _failuresInRow;
    private long _successes;
    private BreakerState _state;
    private long _openedAt;
    private DateTimeOffset _since = time.GetUtcNow();

    // The probe that is out; 0 when none is. Numbered, so that a late return of an earlier one does not free the place of this one.
    private long _probe;
    private long _probes;
    private long _probeGivenAt;
    private bool _probeWorking;
    private long _askedAt;

    /// <summary>What it watches, in words.</summary>
    internal string Part => hasSink ? "sink" : "handler";

    /// <summary>Raised outside the lock when receiving may have become possible.</summary>
    internal event Action? Relaxed;

    /// <summary>The state now. An open breaker whose time is over reads open until a source asks to receive.</summary>
    public BreakerState State
    {
        get
        {
            lock (_lock)
            {
                return _state;
            }
        }
    }

    /// <summary>When it took its state; while it is open, failing probes do not count as a new one.</summary>
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

    /// <summary>Time until an open breaker lets a probe through, zero where it waits for one; null while it is closed.</summary>
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

    /// <summary>Successes since the start: tells whether the sink worked between two failures of one message.</summary>
    internal long Successes
    {
        get
        {
            lock (_lock)
            {
                return _successes;
            }
        }
    }

    /// <summary>
    /// True when a message may probe the sink and no source has asked to receive for a while: it has to come by itself, as with callers
    /// of HTTP. Also after a source asked and then brought no message.
    /// </summary>
    internal bool AwaitsProbe
    {
        get
        {
            lock (_lock)
            {
                return _state switch
                {
                    BreakerState.Open => time.GetElapsedTime(_openedAt) >= options.BreakerOpen + AskedWithin,
                    BreakerState.HalfOpen => !IsProbeOut() && time.GetElapsedTime(_askedAt) >= AskedWithin,
                    _ => false,
                };
            }
        }
    }

    /// <summary>True while messages come in: closed, or a caller's message may be the probe.</summary>
    internal bool LetsIn => State == BreakerState.Closed || AwaitsProbe;

    /// <summary>True when the sink refuses the worker itself and an operator has to act.</summary>
    internal bool IsRefused { get; private set; }

    /// <summary>The detail of the last failure; null while closed.</summary>
    public string? LastFailure { get; private set; }

    /// <summary>
    /// The sink stored an object. Closes a half-open breaker; not an open one: of a sink that fails only partly, a message from before the
    /// opening would close it at once.
    /// </summary>
    public void Succeeded()
    {
        bool closed = false;
        lock (_lock)
        {
            Rotate();
            _succeeded[_bucket % Buckets]++;
            _failuresInRow = 0;
            _successes++;
            if (_state == BreakerState.HalfOpen)
            {
                Close();
                closed = true;
            }
        }

        if (closed)
        {
            LogClosed(route, Part);
            Relaxed?.Invoke();
        }
    }

    /// <summary>The sink failed in a way that may pass.</summary>
    /// <param name="detail">Which call failed and how, for logs and health pages: one line, without secrets.</param>
    public void Failed(string detail) => Fail(detail, refused: false);

    /// <summary>The sink refuses the worker itself: opens at once.</summary>
    /// <param name="detail">As for <see cref="Failed"/>, and what the operator can do.</param>
    public void Refused(string detail) => Fail(detail, refused: true);

    /// <summary>How many messages may be let in now: all, one probe, or none.</summary>
    internal BreakerState AskToReceive()
    {
        lock (_lock)
        {
            if (_state == BreakerState.Open && time.GetElapsedTime(_openedAt) >= options.BreakerOpen)
            {
                _state = BreakerState.HalfOpen;
                _probe = 0;
            }

            if (_state != BreakerState.HalfOpen)
            {
                return _state;
            }

            if (IsProbeOut())
            {
                return BreakerState.Open;
            }

            _askedAt = time.GetTimestamp();
            return BreakerState.HalfOpen;
        }
    }

    /// <summary>The half-open slot was given out: no second one until it comes back or nothing was received on it for a while.</summary>
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

    /// <summary>The probe carries a message now.</summary>
    internal void ProbeWorking(long probe)
    {
        lock (_lock)
        {
            _probeWorking |= _probe == probe;
        }
    }

    /// <summary>The probe came back; if the sink was not reached with it, the next message may probe.</summary>
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

    /// <summary>Under the lock. A receiver may sit on its probe for as long as its queue is empty; that does not keep others from probing.</summary>
    private bool IsProbeOut() => _probe != 0 && (_probeWorking || time.GetElapsedTime(_probeGivenAt) < options.BreakerOpen);

    private void Fail(string detail, bool refused)
    {
        bool opened = false;
        lock (_lock)
        {
            Rotate();
            _failed[_bucket % Buckets]++;
            _failuresInRow++;
            if (refused || _state == BreakerState.HalfOpen || _failuresInRow >= options.BreakerFailures || RatioExceeded())
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

        if (opened)
        {
            LogOpened(route, hasSink ? "storing" : "handling", DurationText.Of(options.BreakerOpen), UntrustedText.Shorten(detail));
        }
    }

    private bool RatioExceeded()
    {
        int succeeded = _succeeded.Sum();
        int failed = _failed.Sum();
        return succeeded + failed >= options.BreakerMinimum && failed >= options.BreakerRatio * (succeeded + failed);
    }

    private void Close()
    {
        _state = BreakerState.Closed;
        _since = time.GetUtcNow();
        _probe = 0;
        IsRefused = false;
        LastFailure = null;
        Array.Clear(_failed);
        Array.Clear(_succeeded);
    }

    private void Rotate()
    {
        long now = time.GetTimestamp() / _bucketTicks;
        for (long steps = Math.Min(now - _bucket, Buckets); steps > 0; steps--)
        {
            long index = (now - steps + 1) % Buckets;
            _succeeded[index] = 0;
            _failed[index] = 0;
        }

        _bucket = now;
    }

    [LoggerMessage(2001, LogLevel.Error, "Route {Route}: {Work} fails, receiving pauses; one message probes it every {Pause}. Last failure: {Detail}")]
    private partial void LogOpened(string route, string work, string pause, string detail);

    [LoggerMessage(2002, LogLevel.Information, "Route {Route}: the {Part} works again, receiving resumes")]
    private partial void LogClosed(string route, string part);
}

/// <summary>The circuit breaker's state; the numbers are what the metric shows.</summary>
public enum BreakerState
{
    /// <summary>Receiving is allowed.</summary>
    Closed = 0,

    /// <summary>One message at a time is let through as a probe.</summary>
    HalfOpen = 1,

    /// <summary>Receiving is paused.</summary>
    Open = 2,
}
