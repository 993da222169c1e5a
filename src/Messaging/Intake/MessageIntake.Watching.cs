using Microsoft.Extensions.Logging;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Intake;

/// <content>Watches the source: slots that it reserved and neither uses nor releases are lost to the route, until it stands still.</content>
internal sealed partial class MessageIntake
{
    // Longer than a receive call that waits for messages.
    private static readonly TimeSpan LeakedAfter = TimeSpan.FromMinutes(1);

    // Reservations from which a leak is found: a source that reserves while it still has slots may do so now and then.
    private const int MinReservations = 10;

    private volatile string? _slotProblem;
    private volatile string? _slotWarning;
    private string? _reportedLeak;
    private LogThrottle? _leakLog;

    // Under the lock: slots accepted, released or freed; refusals since a slot last moved; and the slots that were still reserved at each
    // reservation since the last look.
    private long _moves;
    private long _movesSeen;
    private long _quietSince;
    private int _refusals;
    private int _minReserved = int.MaxValue;
    private int _reservations;
    private long _reservationsSince;
    private int _leaked;

    /// <summary>True when the source keeps reserved slots while it reserves others: a slot that it leaks then shows only when none is left.</summary>
    public bool KeepsReservedSlots { get; init; }

    /// <summary>True while the source itself reports why it cannot receive: then it may keep its slots. Must not throw.</summary>
    public Func<bool> SourceReportsProblem { get; set; } = static () => false;

    /// <summary>True after the source has asked for a slot since its receiving began.</summary>
    public bool WasAsked { get; private set; }

    /// <summary>Slots that the source has reserved and has neither used nor released, as far as that can be told.</summary>
    public int LeakedSlots => Volatile.Read(ref _leaked);

    /// <summary>True when a message has ignored its cancellation for so long that its slot counts as lost.</summary>
    public bool IsStuck => _timeouts.IsStuck;

    /// <summary>Settlements that have been running for more than ten seconds.</summary>
    public int SlowSettlements => _timeouts.SlowSettlements;

    /// <summary>Why the source can receive or settle nothing more; null without a problem.</summary>
    public string? Problem => _timeouts.Problem ?? _slotProblem ?? SettlementFailures.Problem;

    /// <summary>What an operator should know although messages still arrive.</summary>
    public IEnumerable<string> Warnings =>
        ((string?[])[_slotProblem is null ? _slotWarning : null, _timeouts.Warning, SettlementFailures.Warning]).OfType<string>();

    /// <summary>The source starts to receive. Slots that its last receive left reserved are leaked.</summary>
    public void BeginReceiving()
    {
        lock (_lock)
        {
            WasAsked = false;
            if (!KeepsReservedSlots && Reserved > 0)
            {
                Leaked(Reserved, "its receiving ended without releasing them");
            }
        }

        ReportLeak();
    }

    /// <summary>Logs what would otherwise go with the process: counts of messages not stored, and slots that keep the drain from ending.</summary>
    public void ReportAtStop()
    {
        lock (_lock)
        {
            TakeFinished();
            if (Reserved > 0)
            {
                Leaked(Reserved, "it has stopped without releasing them");
            }
        }

        ReportLeak();
        SafeLog.Try(() => LogSummaries(all: true));
    }

    /// <summary>Under the lock: a source asks for slots.</summary>
    private void Asked()
    {
        WasAsked = true;
        _reservations++;
        _minReserved = Math.Min(_minReserved, Reserved);
    }

    private void WatchSource(long now)
    {
        bool explains = SourceReportsProblem();
        lock (_lock)
        {
            FindLeak(now);
            FindStandstill(now, explains);
        }

        ReportLeak();
        SafeLog.Try(() => LogSummaries(all: false));
    }

    /// <summary>Under the lock. A source with one receive at a time has used or released its slots before it reserves others.</summary>
    private void FindLeak(long now)
    {
        if (_reservations < MinReservations || _time.GetElapsedTime(_reservationsSince, now) < LeakedAfter)
        {
            return;
        }

        int leaked = KeepsReservedSlots ? 0 : _minReserved;
        (_reservations, _minReserved, _reservationsSince) = (0, int.MaxValue, now);
        if (leaked > 0)
        {
            Leaked(leaked, "it went on to reserve others");
        }
        else
        {
            (_leaked, _slotWarning) = (0, null);
        }
    }

    /// <summary>Under the lock: the source waits for a slot, no message is in flight, and the reserved slots have not moved for a while.</summary>
    private void FindStandstill(long now, bool isExplained)
    {
        bool isWaiting = _waiting.Count > 0 || _refusals > 0;
        if (_moves != _movesSeen || Reserved == 0 || _freeSlots.Count < _slots.Length || !isWaiting || isExplained || _isPaused || _breaker.State != BreakerState.Closed)
        {
            if (_moves != _movesSeen)
            {
                _refusals = 0;
                if (_slotProblem is not null)
                {
                    // Not all of them were leaked. Those that were, FindLeak finds.
                    (_leaked, _slotWarning) = (0, null);
                }
            }

            (_movesSeen, _quietSince, _slotProblem) = (_moves, now, null);
            return;
        }

        if (_time.GetElapsedTime(_quietSince, now) >= LeakedAfter)
        {
            Leaked(Reserved, "it waits for another, and no message is in flight");
            _slotProblem = _slotWarning;
        }
    }

    /// <summary>Under the lock.</summary>
    private void Leaked(int slots, string sign)
    {
        _leaked = slots;
        _slotWarning = $"The source {_source} has reserved {slots} of {_slots.Length} slot(s) that it neither uses nor releases: {sign}. They are missing until a restart; the source must accept a message on each slot, or release it.";
    }

    private void ReportLeak()
    {
        string? leak = Volatile.Read(ref _leaked) > 0 ? _slotWarning : null;
        if (leak is not null && _reportedLeak != leak && (_leakLog ??= new LogThrottle(_time, ReasonThrottle.Interval)).ShouldLog(out _))
        {
            _reportedLeak = leak;
            SafeLog.Try(() => LogLeak(_route, leak));
        }
    }

    [LoggerMessage(5010, LogLevel.Error, "Route {Route}: {Problem}")]
    private partial void LogLeak(string route, string problem);
}
