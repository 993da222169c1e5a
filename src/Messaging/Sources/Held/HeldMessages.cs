using System.Threading.Channels;
using Messaging.Telemetry;
using Pipeline.Buffers;
using Pipeline.Settlements;

namespace Messaging.Sources.Held;

/// <summary>
/// The messages of a source that has them in memory only, from <see cref="Take"/> to their settlement. New messages wait here for a
/// slot, abandoned ones for their next delivery. Dead-lettered messages are written to the dead letters, and so are those that a stop
/// leaves unsettled; the rest is counted and logged as lost.
/// </summary>
/// <remarks>
/// The source takes a message, fills it and puts it (<see cref="Take"/>, <see cref="TryPut"/>), stops reading while <see cref="IsFull"/>, and
/// forwards its own life cycle: <see cref="IMessageSource.ReceiveAsync"/> to <see cref="HandInAsync"/>, <see cref="IMessageSource.DrainAsync"/>
/// to <see cref="DrainAsync"/>, <see cref="IMessageSource.CloseAsync"/> to <see cref="CloseAsync"/>. Its plan sets
/// <see cref="SourcePlan.HoldsOnlyCopies"/> and <see cref="SourcePlan.KeepsDeadLetters"/>.
/// Threads: any number take, put and settle; one at a time hands in.
/// </remarks>
/// <typeparam name="T">The source's message.</typeparam>
public sealed partial class HeldMessages<T> : IDisposable
    where T : HeldMessage
{
    /// <summary>The most abandoned messages that wait for redelivery, beside those in flight, before <see cref="IsFull"/>.</summary>
    public const int WaitingLimit = 1_000;

    /// <summary>The same in bytes of bodies: 64 MiB, the default of <c>Intake:BytesInFlight</c>, which counts only messages in flight.</summary>
    public const long WaitingBytesLimit = 64L << 20;

    private readonly HeldServices _services;
    private readonly Func<HeldMessages<T>, T> _create;
    private readonly Action? _forgotten;
    private readonly Channel<T?> _ready;
    private readonly DelayedMessages<T> _delayed;
    private readonly BoundedPool<T> _messages;
    private readonly LogThrottle _deadLetterLog;
    private readonly Lock _gate = new();

    // Every message object that is not garbage: what is in flight is found here at the stop. Guarded by _gate.
    private readonly HashSet<T> _all = [];

    private TaskCompletionSource? _room;
    private int _unsettled;
    private int _waiting;
    private long _waitingBytes;
    private long _returned;
    private long _deadLettered;
    private long _lost;
    private bool _draining;
    private bool _disposed;

    // Settlements that write a dead letter or give a message back; at 0 _quiet is told.
    private int _writes;
    private TaskCompletionSource? _quiet;
    private CancellationToken _closing;

    /// <summary>Makes the source's messages.</summary>
    /// <param name="services">Names, clock, dead letters, log.</param>
    /// <param name="limit">Idle message objects kept for reuse: about as many as are in flight, queued and waiting for redelivery.</param>
    /// <param name="create">Makes a message object.</param>
    /// <param name="forgotten">Called on any thread after a message has ended and is no longer counted in <see cref="Unsettled"/>; null where the source needs no call.</param>
    public HeldMessages(HeldServices services, int limit, Func<HeldMessages<T>, T> create, Action? forgotten = null)
    {
        _services = services;
        _create = create;
        _forgotten = forgotten;

        // Null entries only wake the reader. Without a bound: the caller that adds a message could not keep it elsewhere, and the sources
        // bound how many there are. Bounded in form only, since the unbounded channel allocates when it is looked into.
        _ready = Channel.CreateBounded<T?>(new BoundedChannelOptions(int.MaxValue)
        {
            FullMode = BoundedChannelFullMode.Wait,
            SingleReader = true,
            SingleWriter = false,

            // The reader works on the pool: a settling thread never runs its loop.
            AllowSynchronousContinuations = false,
        });
        _messages = new BoundedPool<T>(limit);
        _deadLetterLog = new LogThrottle(services.Time, LogInterval);
        _delayed = new DelayedMessages<T>(services.Time, message => _ready.Writer.TryWrite(message));
    }

    /// <summary>Messages taken that are neither completed, dead-lettered nor forgotten.</summary>
    public int Unsettled => Volatile.Read(ref _unsettled);

    /// <summary>Deliveries that were abandoned.</summary>
    internal long Returned => Volatile.Read(ref _returned);

    /// <summary>Messages written to the dead letters, those left over at the stop included.</summary>
    internal long DeadLettered => Volatile.Read(ref _deadLettered);

    /// <summary>Messages that a stop left over and that the dead letters did not take.</summary>
    internal long Lost => Volatile.Read(ref _lost);

    /// <summary>Abandoned messages that wait for redelivery.</summary>
    public int Waiting => Volatile.Read(ref _waiting);

    /// <summary>True at <see cref="WaitingLimit"/> or <see cref="WaitingBytesLimit"/>: the source stops receiving until <see cref="WaitForRoomAsync"/> completes.</summary>
    public bool IsFull => Waiting >= WaitingLimit || Volatile.Read(ref _waitingBytes) >= WaitingBytesLimit;

    /// <summary>A clean message for the caller to fill; it counts as unsettled. It ends in <see cref="TryPut"/>, <see cref="IMessageIntake.Accept"/> (after <see cref="HeldMessage.BeginDelivery"/>), <see cref="ReturnAsync"/> or <see cref="Forget"/>.</summary>
    public T Take()
    {
        Interlocked.Increment(ref _unsettled);
        return _messages.TryTake(out T? message) ? message : Create();
    }

    /// <summary>Queues a message that was taken and filled; <see cref="HandInAsync"/> hands it in. The queue has no bound of its own: the source bounds it.</summary>
    /// <returns>False after <see cref="CloseAsync"/>: the caller still owns the message and calls <see cref="Forget"/>.</returns>
    public bool TryPut(T message) => _ready.Writer.TryWrite(message);

    /// <summary>Waits until the messages that wait for redelivery are below the limits.</summary>
    /// <exception cref="OperationCanceledException">The token ended first.</exception>
    public Task WaitForRoomAsync(CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            _room ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);

            // Before looking: who makes room changes the counts first and looks for a waiter then, so one of the two sees the other.
            Interlocked.MemoryBarrier();
            return IsFull ? _room.Task.WaitAsync(cancellationToken) : Task.CompletedTask;
        }
    }

    /// <summary>Carries a settlement out; called by the message's <c>SettleCoreAsync</c>. Of a message that the stop has taken it only returns the object.</summary>
    /// <param name="message">A message in flight.</param>
    /// <param name="settlement">The settlement. A dead letter that cannot be written is redelivered after a backoff of 1 to 30 s.</param>
    /// <param name="cancellationToken">Ends the waiting for the dead letters; the write goes on.</param>
    public ValueTask SettleAsync(T message, in Settlement settlement, CancellationToken cancellationToken)
    {
        if (!message.TryMove(HeldStage.InFlight, HeldStage.Settling))
        {
            Settled(message);
            return default;
        }

        switch (settlement.Kind)
        {
            case SettlementKind.Complete:
                message.Conclude(settlement);
                Settled(message);
                return default;
            case SettlementKind.DeadLetter:
                // The token ends the waiting only: the write goes on, and keeps the body until it is done.
                return new ValueTask(DeadLetterAsync(message, settlement).WaitAsync(cancellationToken));
            default:
                return AbandonAsync(message, settlement.Delay);
        }
    }

    /// <summary>Hands in the messages that wait, each on a slot it reserves, until the token ends; then returns normally.</summary>
    public async Task HandInAsync(IMessageIntake intake, CancellationToken stop)
    {
        await using CancellationTokenRegistration wake = stop.UnsafeRegister(static held => ((HeldMessages<T>)held!)._ready.Writer.TryWrite(null), this);
        try
        {
            while (!stop.IsCancellationRequested && await _ready.Reader.WaitToReadAsync(CancellationToken.None))
            {
                if (HasReady() && !stop.IsCancellationRequested)
                {
                    int slots = await intake.ReserveAsync(1, Math.Clamp(_ready.Reader.Count, 1, _services.Concurrency), stop);
                    HandIn(intake, stop.IsCancellationRequested ? 0 : slots, slots);
                }
            }
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            // Stopped while waiting for a slot: the message is still here.
        }
    }

    /// <summary>Hands in what waits and what is abandoned meanwhile, until every message is settled or the token ends.</summary>
    /// <param name="intake">The route's intake.</param>
    /// <param name="lastTaken">Completes when no further message will be taken; does not fail.</param>
    /// <param name="stopDraining">The end of the drain timeout.</param>
    public async Task DrainAsync(IMessageIntake intake, Task lastTaken, CancellationToken stopDraining)
    {
        if (Unsettled > 0)
        {
            HeldLog.Draining(_services.Logger, _services.Route, _services.Source, Unsettled);
        }

        Task handingIn = HandInAsync(intake, stopDraining);
        await lastTaken;
        Interlocked.Exchange(ref _draining, true);
        EndIfDrained();
        await handingIn;
    }

    /// <summary>
    /// Queues a message that is not in flight, to be delivered after the delay. After <see cref="CloseAsync"/> it is written to the
    /// dead letters instead.
    /// </summary>
    public ValueTask ReturnAsync(T message, TimeSpan delay)
    {
        Interlocked.Increment(ref _returned);
        message.IsWaiting = true;
        Interlocked.Increment(ref _waiting);
        Interlocked.Add(ref _waitingBytes, message.Body.Length);
        bool kept = delay > TimeSpan.Zero ? _delayed.TryAdd(message, delay) : _ready.Writer.TryWrite(message);
        if (kept)
        {
            return default;
        }

        Left(message);
        return new ValueTask(SpillLateAsync(message));
    }

    /// <summary>Ends a message that is not in flight, without a settlement, and returns the object to the pool.</summary>
    public void Forget(T message)
    {
        message.Clear();
        if (Volatile.Read(ref _disposed) || !_messages.Return(message))
        {
            Drop(message);
        }

        if (Interlocked.Decrement(ref _unsettled) == 0)
        {
            EndIfDrained();
        }

        _forgotten?.Invoke();
    }

    /// <summary>Ends the timer and returns the buffers of idle messages; a message settled later returns its own. Call after <see cref="CloseAsync"/>.</summary>
    public void Dispose()
    {
        Interlocked.Exchange(ref _disposed, true);
        _delayed.Dispose();
        while (_messages.TryTake(out T? message))
        {
            Drop(message);
        }
    }

    private T Create()
    {
        T message = _create(this);
        lock (_gate)
        {
            _all.Add(message);
        }

        return message;
    }

    private void Drop(T message)
    {
        lock (_gate)
        {
            _all.Remove(message);
        }

        message.Release();
    }

    private bool HasReady()
    {
        while (_ready.Reader.TryPeek(out T? message))
        {
            if (message is not null)
            {
                return true;
            }

            _ready.Reader.TryRead(out _);
        }

        return false;
    }

    private void HandIn(IMessageIntake intake, int wanted, int slots)
    {
        int used = 0;
        while (used < wanted && _ready.Reader.TryRead(out T? message))
        {
            if (message is not null)
            {
                used++;
                Left(message);
                message.BeginDelivery();
                intake.Accept(message);
            }
        }

        if (used < slots)
        {
            intake.Release(slots - used);
        }
    }

    private void Left(T message)
    {
        if (!message.IsWaiting)
        {
            // Its first delivery: it was never counted.
            return;
        }

        message.IsWaiting = false;
        Interlocked.Add(ref _waitingBytes, -message.Body.Length);
        Interlocked.Decrement(ref _waiting);
        if (Volatile.Read(ref _room) is not null && !IsFull)
        {
            lock (_gate)
            {
                _room?.TrySetResult();
                _room = null;
            }
        }
    }

    // Both sides write their field before they read the other's: one of them sees both.
    private void EndIfDrained()
    {
        if (Volatile.Read(ref _draining) && Unsettled == 0)
        {
            _ready.Writer.TryComplete();
        }
    }
}
