using Microsoft.Extensions.Logging;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Intake;

/// <summary>
/// Cancels messages beyond their timeout, and tells which messages and settlements do not end: each keeps its slot, until the route stands still.
/// Threads: one calls <see cref="Check"/>, any read.
/// </summary>
internal sealed partial class TimeoutWatch(string route, string source, TimeProvider time, ILogger logger)
{
    // A message this far beyond its timeout makes the route stuck; until then a cancelled call may unwind.
    private static readonly TimeSpan StuckAfter = TimeSpan.FromSeconds(15);

    // Longer than a settlement over a slow network, its retries included.
    private static readonly TimeSpan SlowSettlement = TimeSpan.FromSeconds(10);

    // From then on the route counts as unable to settle.
    private static readonly TimeSpan HangingSettlement = TimeSpan.FromSeconds(30);

    private readonly LogThrottle _slowLog = new(time, ReasonThrottle.Interval);
    private volatile bool _stuck;
    private volatile string? _problem;
    private volatile string? _warning;

    /// <summary>True when a message has ignored its cancellation for so long that its slot counts as lost.</summary>
    public bool IsStuck => _stuck;

    /// <summary>Settlements that have been running for more than ten seconds.</summary>
    public int SlowSettlements { get; private set; }

    /// <summary>Why nothing more can be settled; null without a problem.</summary>
    public string? Problem => _problem;

    /// <summary>What an operator should know although messages are still settled; null without a warning.</summary>
    public string? Warning => _problem is null ? _warning : null;

    /// <summary>What messages run in, for the log.</summary>
    public string Parts { get; set; } = "a part of the pipeline";

    public void Check(MessageSlot[] slots, TimeSpan timeout, long now)
    {
        bool stuck = false;
        bool settles = false;
        int slow = 0;
        TimeSpan slowest = TimeSpan.Zero;
        foreach (MessageSlot slot in slots)
        {
            TimeSpan running = slot.CancelBeyond(timeout);
            TimeSpan settling = slot.WatchSettling(now);
            settles |= settling > timeout + StuckAfter;
            stuck |= running > timeout + StuckAfter || settles;
            settling -= slot.SettleDelay;
            slow += settling > SlowSettlement ? 1 : 0;
            slowest = settling > slowest ? settling : slowest;
        }

        bool isNew = stuck && !_stuck;
        _stuck = stuck;
        if (isNew)
        {
            string what = settles ? $"the settlement of a message by the source {source}" : $"a message in {Parts}";
            SafeLog.Try(() => LogStuck(route, what, DurationText.Of(timeout + StuckAfter)));
        }

        CheckSettlements(slow, slowest);
    }

    private void CheckSettlements(int slow, TimeSpan slowest)
    {
        SlowSettlements = slow;
        TimeSpan limit = slowest > HangingSettlement ? HangingSettlement : SlowSettlement;
        _warning = slow == 0
            ? null
            : $"{slow} settlement(s) of messages of the source {source} have not ended, the oldest after more than {DurationText.Of(limit)}: its queue, caller "
                + "or disk does not answer. Each keeps its slot; check what the source settles with (event 5009).";
        _problem = slowest > HangingSettlement ? _warning : null;
        if (slow > 0 && _slowLog.ShouldLog(out _))
        {
            SafeLog.Try(() => LogSlowSettlements(route, slow, source, DurationText.Of(SlowSettlement), DurationText.Of(HangingSettlement)));
        }
    }

    [LoggerMessage(5003, LogLevel.Critical, "Route {Route}: {What} has run for more than {Limit} and does not end; restart the worker to free its slot")]
    private partial void LogStuck(string route, string what, string limit);

    [LoggerMessage(
        5009, LogLevel.Warning,
        "Route {Route}: {Count} settlement(s) of messages of {Source} have been running for more than {Limit}; each keeps its slot, and after {NotReadyAfter} "
            + "the worker is not ready. Check the queue, the caller or the disk that the source settles with")]
    private partial void LogSlowSettlements(string route, int count, string source, string limit, string notReadyAfter);
}
