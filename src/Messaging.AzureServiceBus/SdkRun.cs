using System.Diagnostics.CodeAnalysis;
using Azure.Messaging.ServiceBus;
using Messaging.Recoverability;
using Messaging.AzureServiceBus.Port;

namespace Messaging.AzureServiceBus;

/// <summary>
/// One run: as many loops as calls, each of which receives one message and waits for its call. ServiceBusProcessor would do the same, but
/// its stop cancels the waiting receives, and the client drops a message that has just arrived for one of them: it stays locked. This run
/// closes its links instead: the client drains and then closes them, and each message that arrived is passed to its call. Messages in
/// flight are then settled by their lock tokens, over the pump's receiver, which receives nothing.
/// </summary>
internal sealed class SdkRun(ServiceBusReceiver[] receivers, PumpSettings settings, Func<ServiceBusReceiver> settlingReceiver) : IAsyncDisposable
{
    /// <summary>
    /// Above this number of waiting receives, Microsoft.Azure.Amqp grants credit in steps (PendingReceiversThreshold). Credit that is granted
    /// during a close ends its drain, and messages would be locked for a link that is gone.
    /// </summary>
    public const int MaxCallsPerLink = 20;

    // A broker that does not answer must not delay the shutdown or the next run.
    private static readonly TimeSpan CloseLimit = TimeSpan.FromSeconds(5);

    // Without a connection there is no link that ends the receives.
    private static readonly TimeSpan EndLimit = TimeSpan.FromSeconds(2);

    // Half of the shortest lock, 5 s, is renewed in time.
    private static readonly TimeSpan RenewInterval = TimeSpan.FromSeconds(1);

    private static readonly Backoff Pause = new(TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(10));

    // The message of each call, written by the call, read by the renewal.
    private readonly SdkLockedMessage?[] _inCalls = new SdkLockedMessage?[settings.MaxConcurrentCalls];
    private readonly Lock _gate = new();
    private readonly CancellationTokenSource _stop = new();
    private readonly CancellationTokenSource _abort = new();
    private readonly TaskCompletionSource _idle = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private Task _loops = Task.CompletedTask;
    private volatile ServiceBusReceiver? _afterStop;
    private volatile bool _stopping;
    private int _running;

    /// <summary>Settles messages after the stop; null before it, while they are settled over their own link.</summary>
    public ServiceBusReceiver? AfterStop => _afterStop;

    public void Start(IPumpHandler handler) =>
        _loops = Task.WhenAll([Task.Run(() => RenewAsync(handler)), .. _inCalls.Select((_, call) => Task.Run(() => ReceiveAsync(call, handler)))]);

    public Task StopAsync(CancellationToken cancellationToken)
    {
        // Under the lock no receive is just starting: it would grant credit during the close.
        lock (_gate)
        {
            // Opens its link on first use.
            _afterStop ??= settlingReceiver();
            _stopping = true;
        }

        return SdkFaults.ConvertAsync(CloseAsync(cancellationToken), cancellationToken);
    }

    public async ValueTask DisposeAsync()
    {
        foreach (ServiceBusReceiver receiver in receivers)
        {
            await receiver.DisposeAsync();
        }
    }

    private async Task CloseAsync(CancellationToken cancellationToken)
    {
        await _stop.CancelAsync();
        if (Volatile.Read(ref _running) > 0)
        {
            // Settlements over the links end before these close.
            await _idle.Task.WaitAsync(cancellationToken);
        }

        try
        {
            await Task.WhenAll(receivers.Select(receiver => receiver.CloseAsync(cancellationToken))).WaitAsync(CloseLimit, cancellationToken);

            // A closed link ends its receives, some with a message. To cancel them now would lose it.
            await _loops.WaitAsync(EndLimit, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
        finally
        {
            await _abort.CancelAsync();
            await _loops;
        }
    }

    private async Task ReceiveAsync(int call, IPumpHandler handler)
    {
        ServiceBusReceiver receiver = receivers[call % receivers.Length];
        int failures = 0;
        while (TryBeginReceive(receiver, out Task<ServiceBusReceivedMessage>? receiving))
        {
            ServiceBusReceivedMessage? message = null;
            try
            {
                message = await receiving;
                failures = 0;
            }
            catch (Exception exception)
            {
                if (_stopping)
                {
                    return;
                }

                ServiceBusFault fault = SdkFaults.Classify(exception);
                handler.Failed(PumpActivity.Receive, fault);
                failures = fault.Kind == ServiceBusFaultKind.Unreadable ? 0 : failures + 1;
            }

            if (message is not null)
            {
                await HandleAsync(call, new SdkLockedMessage(message, receiver, this), handler);
            }
            else if (failures > 0)
            {
                await Task.Delay(Pause.After(failures), _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        }
    }

    private bool TryBeginReceive(ServiceBusReceiver receiver, [NotNullWhen(true)] out Task<ServiceBusReceivedMessage>? receiving)
    {
        lock (_gate)
        {
            receiving = _stopping ? null : receiver.ReceiveMessageAsync(cancellationToken: _abort.Token);
            return receiving is not null;
        }
    }

    private async Task HandleAsync(int call, SdkLockedMessage message, IPumpHandler handler)
    {
        Interlocked.Increment(ref _running);
        Volatile.Write(ref _inCalls[call], message);
        PumpActivity activity = PumpActivity.Handle;
        try
        {
            await handler.HandleAsync(message);
            if (settings.AutoComplete)
            {
                activity = PumpActivity.Settle;
                await message.CompleteAsync(CancellationToken.None);
            }
        }
        catch (Exception exception)
        {
            handler.Failed(activity, SdkFaults.Classify(exception));
            await AbandonAsync(message, handler);
        }
        finally
        {
            Volatile.Write(ref _inCalls[call], null);
            if (Interlocked.Decrement(ref _running) == 0 && _stopping)
            {
                _idle.TrySetResult();
            }
        }
    }

    private static async Task AbandonAsync(SdkLockedMessage message, IPumpHandler handler)
    {
        try
        {
            await message.AbandonAsync(CancellationToken.None);
        }
        catch (ServiceBusFaultException exception)
        {
            // The message is redelivered when its lock ends.
            handler.Failed(PumpActivity.Settle, exception.Fault);
        }
    }

    private async Task RenewAsync(IPumpHandler handler)
    {
        using PeriodicTimer timer = new(RenewInterval);
        try
        {
            while (await timer.WaitForNextTickAsync(_stop.Token))
            {
                for (int call = 0; call < _inCalls.Length; call++)
                {
                    if (Volatile.Read(ref _inCalls[call]) is { } message && message.IsRenewalDue(settings.MaxLockRenewal))
                    {
                        // Not awaited: one slow answer must not delay the renewal of the other messages.
                        _ = RenewAsync(message, handler);
                    }
                }
            }
        }
        catch (OperationCanceledException)
        {
            // From here on the handler renews the locks of messages in flight.
        }
    }

    private static async Task RenewAsync(SdkLockedMessage message, IPumpHandler handler)
    {
        try
        {
            await message.RenewAsync(CancellationToken.None);
        }
        catch (ServiceBusFaultException exception) when (message.RenewalFailed(exception.Fault))
        {
            handler.Failed(PumpActivity.RenewLock, exception.Fault);
        }
        catch (ServiceBusFaultException)
        {
            // The message was settled meanwhile.
        }
    }
}
