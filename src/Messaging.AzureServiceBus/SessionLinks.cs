using Azure.Messaging.ServiceBus;

namespace Quayside.Messaging.AzureServiceBus;

/// <summary>
/// The sessions from which one run receives. A call has one session at a time and gets its messages one after another, in order; a message that
/// is abandoned is the next one again. A session without a message for <see cref="IdleTime"/>, or twice the time that its first one took to arrive,
/// makes room for another. Its lock, which is that of its messages, is renewed until it is closed, and belongs to its link: after a stop the link
/// stays open until the message in flight is settled.
/// </summary>
/// <param name="calls">Sessions at the same time.</param>
/// <param name="accept">Waits for a session that has messages and is not locked.</param>
/// <param name="log">Of the source.</param>
/// <param name="time">The clock of the renewals.</param>
internal sealed class SessionLinks(
    int calls, Func<CancellationToken, Task<ServiceBusSessionReceiver>> accept, ServiceBusSourceLog log, TimeProvider time) : RunLinks(calls)
{
    // Longer, and other sessions wait behind idle ones.
    private static readonly TimeSpan IdleTime = TimeSpan.FromSeconds(2);

    private static readonly TimeSpan LostPause = TimeSpan.FromSeconds(1);

    // The service hands out sessions that have messages: however short the idle time is, the first message of a session is waited for.
    private static readonly TimeSpan FirstWait = TimeSpan.FromSeconds(5);

    // One may be empty by accident: another receiver took its messages, or they expired.
    private const int MaxEmpty = 5;

    // The session of each call. Opened by the call; closed where it is taken out.
    private readonly Session?[] _sessions = new Session?[calls];

    // Sessions in a row that brought no message.
    private int _empty;

    public override ServiceBusReceiver SettlingFor(int call) =>
        Volatile.Read(ref _sessions[call])?.Receiver ?? throw new ObjectDisposedException(nameof(ServiceBusSessionReceiver));

    public override async Task SettledAsync(int call)
    {
        if (Volatile.Read(ref _sessions[call]) is { } session)
        {
            session.HasMessage = false;
            if (IsStopping)
            {
                await CloseAsync(call);
            }
        }
    }

    public override void RenewDue(ServiceBusDelivery?[] messages)
    {
        for (int call = 0; call < _sessions.Length; call++)
        {
            Volatile.Read(ref _sessions[call])?.RenewIfDue();
        }
    }

    public override async Task CloseAsync(Task settlements)
    {
        // Not for the settlements: a session whose message is in flight stays open.
        // The client may drop a message that has just arrived; it is locked no longer than its session's link is open.
        await Abort.CancelAsync();
        await Receiving.WaitAsync(CloseLimit, time).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await Task.WhenAll(Enumerable.Range(0, _sessions.Length).Where(call => _sessions[call] is { HasMessage: false }).Select(CloseAsync));
    }

    protected override async Task<ServiceBusReceivedMessage?> ReceiveAsync(int call)
    {
        // A lock must not be held while the client is called.
        await Task.Yield();
        if (_sessions[call] is not { } session)
        {
            if (await TryAcceptAsync() is not { } accepted)
            {
                return null;
            }

            session = new Session(accepted, log, time);
            Volatile.Write(ref _sessions[call], session);
        }

        ServiceBusReceivedMessage? message = null;
        try
        {
            // Before: the stop closes sessions without a message.
            session.HasMessage = true;
            long askedAt = time.GetTimestamp();
            message = await session.Receiver.ReceiveMessageAsync(session.IdleTime ?? FirstWait, Abort.Token);
            if (session.IdleTime is null)
            {
                FirstReceived(session, message is not null, time.GetElapsedTime(askedAt));
            }

            return message;
        }
        catch (Exception exception) when (!IsStopping
            && (exception is ObjectDisposedException || ServiceBusFault.Of(exception).Kind == ServiceBusFaultKind.LockLost))
        {
            // Another receiver may have the session now. A broker that takes each session back immediately must not be asked without a pause.
            await Task.Delay(LostPause, time, Abort.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            return null;
        }
        finally
        {
            if (message is null)
            {
                // Also after the close of the links, which may not have waited for it.
                session.HasMessage = false;
                await CloseAsync(call);
            }
        }
    }

    private void FirstReceived(Session session, bool hasMessage, TimeSpan took)
    {
        // A message that is on its way when the session closes would be released unprocessed. Twice, since an arrival takes a while longer at times.
        session.IdleTime = 2 * took > IdleTime ? 2 * took : IdleTime;
        if (hasMessage)
        {
            Volatile.Write(ref _empty, 0);
        }
        else if (Interlocked.Increment(ref _empty) is int empty and >= MaxEmpty)
        {
            log.SessionsEmpty(empty, took);
        }
    }

    private async Task<ServiceBusSessionReceiver?> TryAcceptAsync()
    {
        try
        {
            return await accept(Abort.Token);
        }
        catch (ServiceBusException exception) when (exception.Reason == ServiceBusFailureReason.ServiceTimeout)
        {
            // No session has messages.
            return null;
        }
    }

    private async Task CloseAsync(int call)
    {
        if (Interlocked.Exchange(ref _sessions[call], null) is not { } session)
        {
            return;
        }

        try
        {
            await session.Receiver.CloseAsync(CancellationToken.None).WaitAsync(CloseLimit, time);
        }
        catch (Exception exception)
        {
            log.CallFailed("closing a session", exception);
        }
    }

    private sealed class Session(ServiceBusSessionReceiver receiver, ServiceBusSourceLog log, TimeProvider time) : ILocked
    {
        private readonly RenewedLock _lock = new(receiver.SessionLockedUntil, log, time);
        private int _hasMessage;

        public ServiceBusSessionReceiver Receiver => receiver;

        /// <summary>How long it may have no message; null until its first receive has ended.</summary>
        public TimeSpan? IdleTime { get; set; }

        /// <summary>True from before a receive until its message is settled.</summary>
        public bool HasMessage
        {
            get => Volatile.Read(ref _hasMessage) != 0;

            // A barrier: what follows reads whether the run is stopping.
            set => Interlocked.Exchange(ref _hasMessage, value ? 1 : 0);
        }

        public void RenewIfDue() => _lock.RenewIfDue(this);

        public async Task<DateTimeOffset> RenewLockAsync()
        {
            await receiver.RenewSessionLockAsync();
            return receiver.SessionLockedUntil;
        }
    }
}
