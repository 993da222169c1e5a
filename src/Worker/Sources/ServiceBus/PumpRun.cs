using Pipeline.Settlements;
using Worker.Sources.ServiceBus.Port;

namespace Worker.Sources.ServiceBus;

/// <summary>
/// One run of the pump, from its start to its stop. Each call of the pump has a slot before its message comes: the first ones are
/// reserved before the start, and a call reserves the next one before it returns. So a route that is full or paused receives
/// nothing more, though the pump pushes.
/// </summary>
internal sealed class PumpRun(
    IMessageIntake intake, int slots, InWorkMessages inWork, MessageSettler settler, ReceiveHealth health, ServiceBusSourceLog log, TimeProvider time, ServiceBusSourceOptions options) : IPumpHandler
{
    private readonly SlotBank _bank = new(intake, slots);

    // Not disposed: it has no timer, and a late message may still ask it.
    private readonly CancellationTokenSource _ended = new();
    private readonly TaskCompletionSource<ServiceBusFault> _broken = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Comes when receiving failed in a way that will not pass by itself, so that the pump had better rest.</summary>
    public Task<ServiceBusFault> Broken => _broken.Task;

    /// <summary>True once a message was received.</summary>
    public bool HasReceived { get; private set; }

    /// <summary>From now on messages go back at once; slots in hand are given back, and whoever waits, for a slot or a delay, is let go.</summary>
    public void End()
    {
        _ended.Cancel();
        _bank.Close();
    }

    /// <summary>Waits the delay of an abandoned message, at most the configured time; ends with the run.</summary>
    public Task HoldAsync(TimeSpan delay)
    {
        TimeSpan hold = delay < options.MaxAbandonDelay ? delay : options.MaxAbandonDelay;
        return hold > TimeSpan.Zero ? Task.Delay(hold, time, _ended.Token) : Task.CompletedTask;
    }

    /// <summary>How long a message may still be held while the sink fails, from now.</summary>
    /// <param name="deliveryCount">Its deliveries so far, this one included.</param>
    /// <param name="receivedAt">When it came, as a timestamp of <see cref="GetTimestamp"/>.</param>
    public TimeSpan AskToHold(int deliveryCount, long receivedAt)
    {
        TimeSpan age = time.GetElapsedTime(receivedAt);
        TimeSpan limit = options.HoldRule.LimitFor(deliveryCount);
        if (age >= options.MaxLockRenewal && age < limit)
        {
            log.HeldBeyondLimit(options.MaxLockRenewal, limit, options.MaxDeliveryCount);
        }

        return age < limit ? limit - age : TimeSpan.Zero;
    }

    public long GetTimestamp() => time.GetTimestamp();

    public async Task HandleAsync(LockedMessage message)
    {
        HasReceived = true;
        health.Received();
        if (await WorkAsync(message))
        {
            await ReserveNextAsync();
        }
    }

    public void Failed(PumpActivity activity, ServiceBusFault fault)
    {
        switch (activity)
        {
            case PumpActivity.Receive:
                health.Failed(fault);
                if (fault.Kind != ServiceBusFaultKind.Transient)
                {
                    _broken.TrySetResult(fault);
                }

                break;
            case PumpActivity.RenewLock:
                ServiceBusSourceMetrics.RenewFailed();
                log.RenewFailed(fault.Message);
                break;
            default:
                log.CallFailed(activity, fault.Message);
                break;
        }
    }

    /// <returns>True when the message took a slot.</returns>
    private async Task<bool> WorkAsync(LockedMessage message)
    {
        if (_ended.IsCancellationRequested)
        {
            await settler.SettleAsync(message, Settlement.Abandon(TimeSpan.Zero));
            return false;
        }

        if (settler.IsDone(message.Key))
        {
            ServiceBusSourceMetrics.Redelivered();
            await settler.SettleAsync(message, Settlement.Complete);
            return false;
        }

        ServiceBusDelivery delivery = new(message, this);
        if (!inWork.TryAdd(delivery, out ServiceBusDelivery? first))
        {
            // The first delivery lost its lock while it is in work. It is not worked on twice; what becomes of it is told under both locks.
            ServiceBusSourceMetrics.Redelivered();
            await settler.SettleAsync(message, await DecideAsync(first));
            return false;
        }

        try
        {
            if (!await TryTakeSlotAsync())
            {
                await settler.SettleAsync(message, Settlement.Abandon(TimeSpan.Zero));
                return false;
            }

            intake.Accept(delivery);
            Settlement decided = await DecideAsync(delivery);
            if (decided.Kind == SettlementKind.Complete)
            {
                settler.Remember(message.Key);
            }

            // Before it is settled: what goes back may come again at once, and is a delivery of its own then.
            inWork.Remove(delivery);
            await settler.SettleAsync(message, decided);
            return true;
        }
        finally
        {
            delivery.GiveUp();
            inWork.Remove(delivery);
        }
    }

    /// <summary>The route's decision, when the time to carry it out has come.</summary>
    private static async Task<Settlement> DecideAsync(ServiceBusDelivery delivery)
    {
        Settlement decided = await delivery.Decision;
        await delivery.Held.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        return decided;
    }

    private async ValueTask<bool> TryTakeSlotAsync() => _bank.TryTake() || await TryReserveAsync();

    private async ValueTask ReserveNextAsync()
    {
        if (await TryReserveAsync())
        {
            _bank.Put();
        }
    }

    private async ValueTask<bool> TryReserveAsync()
    {
        try
        {
            await intake.ReserveAsync(1, 1, _ended.Token);
            return true;
        }
        catch (OperationCanceledException) when (_ended.IsCancellationRequested)
        {
            return false;
        }
    }
}
