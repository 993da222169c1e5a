using Worker.Sources.ServiceBus.Port;

namespace Worker.Sources.ServiceBus;

/// <summary>
/// Whether receiving works. A pump reports failures and messages, but not that an idle connection is sound again; so a failure
/// counts until a message comes or none was reported for a while. Threads: any.
/// </summary>
internal sealed class ReceiveHealth(ServiceBusSourceLog log, TimeProvider time)
{
    // The library reports a connection that stays down after its own retries: with its defaults (60 s an attempt, four attempts and
    // their waits) every four to five minutes at the latest.
    private static readonly TimeSpan FailureCounts = TimeSpan.FromMinutes(5);

    private readonly Lock _lock = new();
    private string? _problem;
    private long _failedAt;

    // Read without the lock by every message.
    private volatile bool _isFailing;

    /// <summary>Why nothing can be received now; null while it can, as far as is known.</summary>
    public string? Problem
    {
        get
        {
            lock (_lock)
            {
                return _problem is not null && time.GetElapsedTime(_failedAt) < FailureCounts ? _problem : null;
            }
        }
    }

    public void Failed(ServiceBusFault fault)
    {
        lock (_lock)
        {
            _problem = fault.Message;
            _failedAt = time.GetTimestamp();
            _isFailing = true;
        }

        log.ReceiveFailed(fault);
    }

    public void Received()
    {
        if (!_isFailing)
        {
            return;
        }

        lock (_lock)
        {
            if (!_isFailing)
            {
                return;
            }

            _isFailing = false;
            _problem = null;
        }

        log.ReceiveRecovered();
    }
}
