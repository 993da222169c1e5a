using System.Collections.Concurrent;
using System.Diagnostics;
using Messaging.AzureServiceBus.Port;
using Messaging.Sources;
using Pipeline.Settlements;

namespace Messaging.AzureServiceBus;

/// <summary>
/// One run of the pump, from start to stop. Each call has a slot before its message arrives: the first slots are reserved before the
/// start, and a call reserves the next one before it returns. A full or paused route therefore receives nothing, although the pump
/// pushes. When the run ends, its calls return so that the pump can close its link; the run then renews and settles the messages in
/// flight.
/// </summary>
internal sealed class PumpRun(
    IMessageIntake intake, int slots, InWorkMessages inWork, MessageSettler settler, LockKeeper locks, ReceiveHealth health, ServiceBusSourceLog log, TimeProvider time, ServiceBusSourceOptions options) : IPumpHandler
{
    private readonly SlotBank _bank = new(intake, slots);

    // Not disposed: it has no timer, and a late message may still read it.
    private readonly CancellationTokenSource _ended = new();
    private readonly TaskCompletionSource<ServiceBusFault> _broken = new(TaskCreationOptions.RunContinuationsAsynchronously);

    // Completes when the pump's link is closed.
    private readonly TaskCompletionSource _closed = new(TaskCreationOptions.RunContinuationsAsynchronously);

    // Settlements of messages that were in flight when the run ended; read only after all calls have returned.
    private readonly ConcurrentBag<Task> _kept = [];

    /// <summary>Completes with a receive failure that is not transient: the pump must then stop and pause.</summary>
    public Task<ServiceBusFault> Broken => _broken.Task;

    public bool HasReceived { get; private set; }

    /// <summary>
    /// Ends the run: messages that still arrive are abandoned once the link is closed, calls return at once, unused slots are released, and waits for a slot or a
    /// delay end.
    /// </summary>
    public void End()
    {
        _ended.Cancel();
        _bank.Close();
    }

    /// <summary>Waits until every message of the run is settled. Call it after the pump has closed its link, and so every call has returned.</summary>
    public Task SettledAsync()
    {
        _closed.TrySetResult();
        return Task.WhenAll(_kept);
    }

    /// <summary>Waits for the delay of an abandoned message, at most MaxAbandonDelay; ends with the run.</summary>
    public Task HoldAsync(TimeSpan delay)
    {
        TimeSpan hold = delay < options.MaxAbandonDelay ? delay : options.MaxAbandonDelay;
        return hold > TimeSpan.Zero ? Task.Delay(hold, time, _ended.Token) : Task.CompletedTask;
    }

    /// <summary>The remaining time for which a message may be held while the sink fails.</summary>
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
        Task<(Settlement Settlement, bool TookSlot, Activity? Span)> deciding = DecideAsync(message);
        await ((Task)deciding).WaitAsync(_ended.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (!deciding.IsCompleted || _ended.IsCancellationRequested)
        {
            _kept.Add(KeepAsync(message, deciding));
            return;
        }

        // Within the call, before the link can close.
        (Settlement settlement, bool tookSlot, Activity? span) = await deciding;
        await settler.SettleAsync(message, settlement, span);
        if (tookSlot && await TryReserveAsync())
        {
            _bank.Put();
        }
    }

    public void Failed(PumpActivity activity, ServiceBusFault fault)
    {
        switch (activity)
        {
            case PumpActivity.Receive when fault.Kind == ServiceBusFaultKind.Unreadable:
                // The broker delivered it, and no lock token is known to dead-letter it by.
                HasReceived = true;
                health.Received();
                ServiceBusSourceMetrics.Unreadable(log.Route);
                log.Unreadable(fault.Message, options.MaxDeliveryCount);
                break;
            case PumpActivity.Receive:
                health.Failed(fault);
                if (fault.Kind != ServiceBusFaultKind.Transient)
                {
                    _broken.TrySetResult(fault);
                }

                break;
            case PumpActivity.RenewLock:
                ServiceBusSourceMetrics.RenewFailed(log.Route);
                log.RenewFailed(fault.Message);
                break;
            default:
                log.CallFailed(activity, fault.Message);
                break;
        }
    }

    /// <summary>The message's settlement, returned when it is due, and whether the message took a slot.</summary>
    private async Task<(Settlement Settlement, bool TookSlot, Activity? Span)> DecideAsync(LockedMessage message)
    {
        if (_ended.IsCancellationRequested)
        {
            return (Settlement.Abandon(TimeSpan.Zero), false, null);
        }

        if (settler.IsDone(message.Key))
        {
            ServiceBusSourceMetrics.Redelivered(log.Route);
            return (Settlement.Complete, false, null);
        }

        ServiceBusDelivery delivery = new(message, this);
        if (!inWork.TryAdd(delivery, out ServiceBusDelivery? first))
        {
            // The first delivery lost its lock while in flight. The message is not handled twice; its settlement is sent under both locks.
            ServiceBusSourceMetrics.Redelivered(log.Route);
            return (await OutcomeAsync(first), false, first.Span);
        }

        try
        {
            if (!_bank.TryTake() && !await TryReserveAsync())
            {
                return (Settlement.Abandon(TimeSpan.Zero), false, null);
            }

            intake.Accept(delivery);
            Settlement decided = await OutcomeAsync(delivery);
            if (decided.Kind == SettlementKind.Complete)
            {
                settler.Remember(message.Key);
            }

            return (decided, true, delivery.Span);
        }
        finally
        {
            // Before the settlement: an abandoned message may be redelivered at once, and then counts as a new delivery.
            delivery.GiveUp();
            inWork.Remove(delivery);
        }
    }

    private async Task KeepAsync(LockedMessage message, Task<(Settlement Settlement, bool TookSlot, Activity? Span)> deciding)
    {
        await locks.KeepUntilAsync(message, deciding);
        (Settlement settlement, _, Activity? span) = await deciding;
        if (settlement.Kind == SettlementKind.Abandon)
        {
            // The open link would receive it again, once per call, up to the queue's own limit of deliveries.
            await _closed.Task;
        }

        await settler.SettleAsync(message, settlement, span);
    }

    /// <summary>The route's decision, returned when it is due.</summary>
    private static async Task<Settlement> OutcomeAsync(ServiceBusDelivery delivery)
    {
        Settlement decided = await delivery.Decision;
        await delivery.Held.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        return decided;
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
