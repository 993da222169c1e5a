using Messaging.AzureServiceBus.Port;

namespace Messaging.AzureServiceBus;

/// <summary>Renews the locks of messages whose call has returned; the pump renews only those of running calls. Threads: any.</summary>
internal sealed class LockKeeper(ServiceBusSourceLog log, TimeProvider time)
{
    // Bounds for half of a lock's time (locks last 5 s to 5 min): a clock that differs from the broker's can neither let a lock of more than
    // 30 s end nor cause a hot loop.
    private static readonly TimeSpan LeastWait = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan MostWait = TimeSpan.FromSeconds(30);

    /// <summary>Renews the lock until <paramref name="decided"/> has ended, successfully or not, or the lock is lost. Never throws.</summary>
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
