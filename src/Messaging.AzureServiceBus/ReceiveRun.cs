using System.Diagnostics;
using Azure.Messaging.ServiceBus;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Sources;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.AzureServiceBus;

/// <summary>
/// One run of the source, from start to stop: as many calls as may receive, each of which receives one message, hands it in and settles it.
/// Each call has a slot before its message arrives: the first slots are reserved before the start, and a call reserves the next one before
/// it receives again. A full or paused route therefore receives nothing. A stop closes the links without waiting for the messages in flight, which the
/// run then still renews and settles.
/// </summary>
internal sealed class ReceiveRun(
    IMessageIntake intake, SlotLease slots, RunLinks links, int calls, InWorkMessages inWork, MessageSettler settler, ReceiveHealth health,
    ServiceBusSourceLog log, TimeProvider time, ServiceBusSourceOptions options)
{
    // Half of the shortest lock, 5 s, is renewed in time.
    private static readonly TimeSpan RenewInterval = TimeSpan.FromSeconds(1);

    // A delayed message takes up a call, since Service Bus has no delay of its own; without one it would use up its deliveries within seconds.
    private static readonly TimeSpan LongestDelay = TimeSpan.FromSeconds(30);

    private static readonly Backoff Pause = new(TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(10));

    private readonly SlotBank _bank = new(slots);

    // The message of each call until it is settled, which after a stop may be long after the call. Written by the call, read by the renewal.
    private readonly ServiceBusDelivery?[] _inCalls = new ServiceBusDelivery?[calls];

    // Not disposed: it has no timer, and a late message may still read it.
    private readonly CancellationTokenSource _ended = new();
    private readonly TaskCompletionSource<ServiceBusFault> _broken = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _idle = new(TaskCreationOptions.RunContinuationsAsynchronously);

    // Completes when the links are closed.
    private readonly TaskCompletionSource _closed = new(TaskCreationOptions.RunContinuationsAsynchronously);

    private readonly PeriodicTimer _renewal = new(RenewInterval, time);
    private Task[] _calls = [];

    // Over the links.
    private int _settlements;

    /// <summary>Completes with a receive failure that is not transient: the run must then end and the source pause.</summary>
    public Task<ServiceBusFault> Broken => _broken.Task;

    public bool HasReceived { get; private set; }

    public TimeProvider Time => time;

    public ServiceBusSourceLog Log => log;

    public void Start()
    {
        _ = RenewAsync();
        _calls = [.. _inCalls.Select((_, call) => Task.Run(() => ReceiveAsync(call)))];
    }

    /// <summary>
    /// Ends the run: no call receives again, messages that still arrive are abandoned once the links are closed, unused slots are released, and
    /// waits for a slot or a delay end. Returns when the links are closed; never throws.
    /// </summary>
    public async Task StopAsync()
    {
        try
        {
            // First: calls that still receive while the run abandons messages would raise their delivery counts.
            links.Stop();
            _ended.Cancel();
            _bank.Close();
            await links.CloseAsync(Volatile.Read(ref _settlements) > 0 ? _idle.Task : Task.CompletedTask);
        }
        catch (Exception exception)
        {
            // Messages in flight are settled, and the next run starts, all the same.
            log.CallFailed("closing the links", exception);
        }
        finally
        {
            _closed.TrySetResult();
        }
    }

    /// <summary>Waits until every message of the run is settled. Call it after the stop.</summary>
    public async Task SettledAsync()
    {
        try
        {
            // A receive that the close did not end may end with the client's own retries only. It has no message, and one that it still gets is abandoned.
            await Task.WhenAll(_calls.Where((_, call) => !links.IsReceiving(call)));
        }
        finally
        {
            _renewal.Dispose();
        }
    }

    /// <summary>Waits for the delay of an abandoned message, at most 30 s; ends with the run.</summary>
    public Task HoldAsync(TimeSpan delay) =>
        delay > TimeSpan.Zero ? Task.Delay(delay < LongestDelay ? delay : LongestDelay, time, _ended.Token) : Task.CompletedTask;

    /// <summary>The remaining time for which a message may be held while the sink fails.</summary>
    public TimeSpan TryHold(int deliveryCount, TimeSpan age)
    {
        TimeSpan limit = options.HoldRule.LimitFor(deliveryCount);
        if (age >= options.MaxLockRenewal && age < limit)
        {
            log.HeldBeyondLimit(options.MaxLockRenewal, limit, options.MaxDeliveryCount);
        }

        return age < limit ? limit - age : TimeSpan.Zero;
    }

    /// <summary>The receiver that settles the messages of a call now.</summary>
    public ServiceBusReceiver SettlingFor(int call) => links.SettlingFor(call);

    private async Task ReceiveAsync(int call)
    {
        int failures = 0;
        while (links.TryReceive(call, out Task<ServiceBusReceivedMessage?>? receiving))
        {
            ServiceBusReceivedMessage? message = null;
            try
            {
                message = await receiving;
                failures = 0;
            }
            catch (Exception exception)
            {
                if (links.IsStopping)
                {
                    return;
                }

                failures = ReceiveFailed(ServiceBusFault.Of(exception)) ? failures + 1 : 0;
            }

            if (message is not null && !await TryHandleAsync(message, call))
            {
                failures++;
            }

            if (failures > 0)
            {
                await Task.Delay(Pause.After(failures), time, _ended.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        }
    }

    /// <returns>False when the next message may be received immediately.</returns>
    private bool ReceiveFailed(ServiceBusFault fault)
    {
        if (fault.Kind == ServiceBusFaultKind.Unreadable)
        {
            // The broker delivered it, and no lock token is known to dead-letter it by.
            HasReceived = true;
            health.Received();
            ServiceBusSourceMetrics.Unreadable(log.Route);
            log.Unreadable(fault.Message, options.MaxDeliveryCount);
            return false;
        }

        health.Failed(fault);
        if (fault.Kind != ServiceBusFaultKind.Transient)
        {
            _broken.TrySetResult(fault);
        }

        return true;
    }

    /// <returns>False for a defect, such as an instrument's listener that throws: the call goes on, and the message is redelivered when its lock
    /// ends.</returns>
    private async Task<bool> TryHandleAsync(ServiceBusReceivedMessage message, int call)
    {
        bool tookSlot;
        try
        {
            tookSlot = await HandleAsync(new ServiceBusDelivery(message, this, call), call);
        }
        catch (Exception exception)
        {
            log.CallFailed("handling a message", exception);
            return false;
        }
        finally
        {
            Volatile.Write(ref _inCalls[call], null);
            await links.SettledAsync(call);
        }

        if (tookSlot && await ReserveAsync() is { } next)
        {
            _bank.Put(next);
        }

        return true;
    }

    /// <returns>True when the message took a slot, which is used up now.</returns>
    private async Task<bool> HandleAsync(ServiceBusDelivery delivery, int call)
    {
        Volatile.Write(ref _inCalls[call], delivery);
        HasReceived = true;
        health.Received();
        (Settlement settlement, bool tookSlot, Activity? span) = await DecideAsync(delivery);
        Interlocked.Increment(ref _settlements);
        if (links.IsStopping)
        {
            EndSettlement();
            if (settlement.Kind == SettlementKind.Abandon)
            {
                // The open links would receive it again, once per call, up to the queue's own limit of deliveries.
                await _closed.Task;
            }

            await settler.SettleAsync(delivery, settlement, span);
        }
        else
        {
            try
            {
                await settler.SettleAsync(delivery, settlement, span);
            }
            finally
            {
                EndSettlement();
            }
        }

        return tookSlot;
    }

    private void EndSettlement()
    {
        if (Interlocked.Decrement(ref _settlements) == 0 && links.IsStopping)
        {
            _idle.TrySetResult();
        }
    }

    /// <summary>The message's settlement, returned when it is due, and whether the message took a slot. Never throws.</summary>
    private async Task<(Settlement Settlement, bool TookSlot, Activity? Span)> DecideAsync(ServiceBusDelivery delivery)
    {
        if (_ended.IsCancellationRequested)
        {
            return (Settlement.Abandon(TimeSpan.Zero), false, null);
        }

        ServiceBusDelivery first = inWork.AddOrFind(delivery, out bool wasStored);
        if (first != delivery)
        {
            // The first delivery lost its lock while in flight. The message is not handled twice; its settlement is sent under both locks.
            ServiceBusSourceMetrics.Redelivered(log.Route);
            return (await first.Decision, false, first.Span);
        }

        try
        {
            if (wasStored)
            {
                ServiceBusSourceMetrics.Redelivered(log.Route);
                delivery.Decide(Settlement.Complete);
                return (Settlement.Complete, false, null);
            }

            if ((_bank.TryTake(out SlotLease kept) ? kept : await ReserveAsync()) is not { } slot)
            {
                return (Settlement.Abandon(TimeSpan.Zero), false, null);
            }

            using (slot)
            {
                slot.Accept(delivery);
            }

            Settlement decided = await delivery.Decision;
            if (decided.Kind == SettlementKind.Complete)
            {
                settler.Remember(delivery.Key);
            }

            return (decided, true, delivery.Span);
        }
        catch (Exception exception)
        {
            log.CallFailed("handing a message in", exception);
            return (Settlement.Abandon(TimeSpan.Zero), false, null);
        }
        finally
        {
            // Before the settlement: an abandoned message may be redelivered immediately, and then counts as a new delivery.
            delivery.Decide(Settlement.Abandon(TimeSpan.Zero));
            inWork.Remove(delivery);
        }
    }

    /// <returns>One slot; null when the run has ended.</returns>
    private async ValueTask<SlotLease?> ReserveAsync()
    {
        try
        {
            return await intake.ReserveAsync(1, 1, _ended.Token);
        }
        catch (OperationCanceledException) when (_ended.IsCancellationRequested)
        {
            return null;
        }
    }

    private async Task RenewAsync()
    {
        while (await _renewal.WaitForNextTickAsync())
        {
            links.RenewDue(_inCalls);
        }
    }
}
