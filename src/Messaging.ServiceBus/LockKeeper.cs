using Messaging.ServiceBus.Port;

namespace Messaging.ServiceBus;

/// <summary>Renews the locks of messages whose call has returned, since the pump renews only those of running calls. Threads: any.</summary>
internal sealed class LockKeeper(ServiceBusSourceLog log, TimeProvider time)
{
    // Half of the shortest lock that Service Bus allows (5 s) is more than the least, half of the longest (5 min) more than the
    // most: so a clock that differs from the broker's neither lets a lock end nor makes a hot loop.
    private static readonly TimeSpan LeastWait = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan MostWait = TimeSpan.FromSeconds(30);

    /// <summary>Renews the lock until the task has ended or the lock is lost. Never fails.</summary>
    /// <param name="message">The message.</param>
    /// <param name="decided">The route's decision, which always comes; whether the task succeeds does not matter.</param>
    public async Task KeepUntilAsync(LockedMessage message, Task decided)
    {
        while (true)
        {
            await decided.WaitAsync(WaitBefore(message.LockedUntil), time).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (decided.IsCompleted)
            {
                return;
            }

            try
            {
                await message.RenewAsync(CancellationToken.None);
            }
            catch (ServiceBusFaultException exception)
            {
                ServiceBusSourceMetrics.RenewFailed(log.Route);
                log.RenewFailed(exception.Message);
                if (exception.Fault.Kind != ServiceBusFaultKind.Transient)
                {
                    return;
                }
            }
        }
    }

    private TimeSpan WaitBefore(DateTimeOffset lockedUntil)
    {
        TimeSpan half = (lockedUntil - time.GetUtcNow()) / 2;
        return half < LeastWait ? LeastWait : half > MostWait ? MostWait : half;
    }
}
