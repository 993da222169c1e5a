using Microsoft.Extensions.Logging;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Buffers;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Sources.InMemory;

/// <summary>
/// The messages of a source that has them in memory only, from <see cref="Take"/> to their settlement. New messages wait for a slot,
/// abandoned ones for redelivery. Dead-lettered messages, and messages that a shutdown leaves unsettled, are written to the dead letters;
/// messages that cannot be written at a shutdown are counted and logged as lost.
/// </summary>
/// <remarks>
/// The source takes a message, fills it and puts it (<see cref="Take"/>, <see cref="TryPut"/>), stops reading while <see cref="IsFull"/>, and
/// forwards its own life cycle: <see cref="IMessageSource.ReceiveAsync"/> to <see cref="HandInAsync"/>, <see cref="IMessageSource.DrainAsync"/>
/// to <see cref="DrainAsync"/>, <see cref="IMessageSource.CloseAsync"/> to <see cref="CloseAsync"/>. Its plan sets
/// <see cref="SourcePlan.HoldsOnlyCopies"/> and <see cref="SourcePlan.KeepsDeadLetters"/>.
/// Threads: any number take, put and settle; one at a time hands in.
/// </remarks>
/// <typeparam name="T">The source's message.</typeparam>
internal sealed partial class InMemoryMessages<T> : IDisposable
    where T : InMemoryMessage
{
    /// <summary>Number of messages waiting for redelivery, in addition to those in flight, at which <see cref="IsFull"/> is true.</summary>
    public const int WaitingLimit = 1_000;

    /// <summary>The same limit in body bytes: 64 MiB, the default of <c>Intake:BytesInFlight</c>, which counts only messages in flight.</summary>
    public const long WaitingBytesLimit = 64L << 20;

    private readonly InMemoryServices _services;
    private readonly Func<InMemoryMessages<T>, T> _create;
    private readonly Action? _forgotten;
    // Unbounded, since callers cannot keep a message elsewhere; the sources limit their number.
    private readonly ReadyMessages<T> _ready = new();
    private readonly DelayedMessages<T> _delayed;
    private readonly BoundedPool<T> _messages;
    private readonly ThrottlingLogger _throttled;
    private readonly Lock _gate = new();

    // Every live message object, so that a shutdown finds the messages in flight. Guarded by _gate.
    private readonly HashSet<T> _all = [];

    // One at a time hands in.
    private readonly ReceivedMessage[] _handedIn;

    private TaskCompletionSource? _space;
    private int _unsettled;
    private int _waiting;
    private long _waitingBytes;
    private long _returned;
    private long _deadLettered;
    private long _lost;
    private bool _draining;
    private bool _disposed;

    // Settlements that are writing a dead letter.
    private readonly WorkCount _writes = new();

    // Abandoned messages on their way to the queue, or to the dead letters once it is closed.
    private readonly WorkCount _returning = new();

    private CancellationToken _closing;

    /// <summary>Creates the queue of a source.</summary>
    /// <param name="services">Names, clock, dead letters and log.</param>
    /// <param name="limit">Idle message objects kept for reuse: about the number of messages in flight, queued and waiting for redelivery.</param>
    /// <param name="create">Creates a message object.</param>
    /// <param name="forgotten">Called on any thread after a message has ended and is no longer counted in <see cref="Unsettled"/>; null when the source needs
    /// no call.</param>
    public InMemoryMessages(InMemoryServices services, int limit, Func<InMemoryMessages<T>, T> create, Action? forgotten = null)
    {
        _services = services;
        _create = create;
        _forgotten = forgotten;

        _messages = new BoundedPool<T>(limit);
        _handedIn = new ReceivedMessage[services.Concurrency];
        _throttled = new ThrottlingLogger(services.Logger, services.Time, LogInterval);
        _delayed = new DelayedMessages<T>(services.Time, message => _ready.TryAdd(message));
    }

    /// <summary>Messages taken and not yet completed, dead-lettered or forgotten.</summary>
    public int Unsettled => Volatile.Read(ref _unsettled);

    /// <summary>Deliveries that were abandoned.</summary>
    internal long Returned => Volatile.Read(ref _returned);

    /// <summary>Messages written to the dead letters, including at shutdown.</summary>
    internal long DeadLettered => Volatile.Read(ref _deadLettered);

    /// <summary>Messages that a shutdown could neither store nor write to the dead letters.</summary>
    internal long Lost => Volatile.Read(ref _lost);

    /// <summary>Abandoned messages that wait for redelivery.</summary>
    public int Waiting => Volatile.Read(ref _waiting);

    /// <summary>
    /// True at <see cref="WaitingLimit"/> or <see cref="WaitingBytesLimit"/>: the source stops receiving until <see cref="WaitForSpaceAsync"/> completes.
    /// </summary>
    public bool IsFull => Waiting >= WaitingLimit || Volatile.Read(ref _waitingBytes) >= WaitingBytesLimit;

    /// <summary>
    /// Returns an empty message for the caller to fill; it counts as unsettled. It ends in <see cref="TryPut"/>,
    /// <see cref="SlotLease.Accept(ReceivedMessage)"/> (after <see cref="InMemoryMessage.BeginDelivery"/>), <see cref="ReturnAsync"/> or <see cref="Forget"/>.
    /// </summary>
    public T Take()
    {
        Interlocked.Increment(ref _unsettled);
        return _messages.TryTake(out T? message) ? message : Create();
    }

    /// <summary>Queues a message that was taken and filled, for <see cref="HandInAsync"/>. The queue is unbounded: the source limits it.</summary>
    /// <returns>False after <see cref="CloseAsync"/>: the caller still owns the message and calls <see cref="Forget"/>.</returns>
    public bool TryPut(T message) => _ready.TryAdd(message);

    /// <summary>Waits until <see cref="IsFull"/> is false.</summary>
    /// <exception cref="OperationCanceledException">The token was cancelled first.</exception>
    public Task WaitForSpaceAsync(CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            _space ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);

            // The other thread changes the counts before it looks for a waiter, so one of the two sees the other.
            Interlocked.MemoryBarrier();
            return IsFull ? _space.Task.WaitAsync(cancellationToken) : Task.CompletedTask;
        }
    }

    /// <summary>
    /// Carries out a settlement; called by the message's <c>SettleCoreAsync</c>. For a message that the shutdown has taken, it only returns the object.
    /// </summary>
    /// <param name="message">A message in flight.</param>
    /// <param name="settlement">The settlement. If a dead letter cannot be written, the message is redelivered after a random wait of up to 30 s.</param>
    /// <param name="cancellationToken">Cancels the wait for the dead letter; its write continues.</param>
    public ValueTask SettleAsync(T message, in Settlement settlement, CancellationToken cancellationToken)
    {
        if (!message.TryMove(InMemoryStage.InFlight, InMemoryStage.Settling))
        {
            message.IsRefusedAfterShutdown = settlement.Kind == SettlementKind.DeadLetter;
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
                // The token cancels only the wait: the write continues, and keeps the body until it ends.
                return new ValueTask(DeadLetterAsync(message, settlement).WaitAsync(cancellationToken));
            default:
                return AbandonAsync(message, settlement.Delay);
        }
    }

    /// <summary>Hands in queued messages, each on a slot that it reserves, until the token is cancelled; then returns normally.</summary>
    public async Task HandInAsync(IMessageIntake intake, CancellationToken stop)
    {
        await using CancellationTokenRegistration wake = stop.UnsafeRegister(static inMemory => ((InMemoryMessages<T>)inMemory!)._ready.Call(), this);
        try
        {
            while (!stop.IsCancellationRequested && !_ready.HasEnded)
            {
                if (_ready.Collect() == 0)
                {
                    await _ready.WaitAsync();
                    continue;
                }

                using SlotLease slots = await intake.ReserveAsync(1, Math.Min(_ready.Count, _services.Concurrency), stop);
                if (!stop.IsCancellationRequested)
                {
                    HandIn(slots);
                }
            }
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            // Cancelled while waiting for a slot: the message is still queued.
        }
    }

    /// <summary>Hands in queued messages, including those abandoned meanwhile, until every message is settled or the token is cancelled.</summary>
    /// <param name="intake">The route's intake.</param>
    /// <param name="lastTaken">Completes when no further message will be taken; must not fail.</param>
    /// <param name="stopDraining">Cancelled at the end of the drain timeout.</param>
    public async Task DrainAsync(IMessageIntake intake, Task lastTaken, CancellationToken stopDraining)
    {
        if (Unsettled > 0)
        {
            InMemoryLog.Draining(_services.Logger, _services.Route, _services.Source, Unsettled);
        }

        Task handingIn = HandInAsync(intake, stopDraining);
        await lastTaken;
        Interlocked.Exchange(ref _draining, true);
        EndIfDrained();
        await handingIn;
    }

    /// <summary>
    /// Queues a message that is not in flight, for delivery after the delay. After <see cref="CloseAsync"/> it is written to the dead letters
    /// instead.
    /// </summary>
    public ValueTask ReturnAsync(T message, TimeSpan delay)
    {
        Interlocked.Increment(ref _returned);
        message.IsWaiting = true;
        Interlocked.Increment(ref _waiting);
        Interlocked.Add(ref _waitingBytes, message.Body.Length);
        bool kept = delay > TimeSpan.Zero ? _delayed.TryAdd(message, delay) : _ready.TryAdd(message);
        if (kept)
        {
            return default;
        }

        Left(message);
        return new ValueTask(SpillLateAsync(message));
    }

    /// <summary>Removes a message that is not in flight, without a settlement, and returns the object to the pool.</summary>
    public void Forget(T message)
    {
        message.Clear();
        if (!_messages.Return(message))
        {
            Drop(message);
        }

        if (Interlocked.Decrement(ref _unsettled) == 0)
        {
            EndIfDrained();
        }

        // Read after the message is in the pool, and Dispose sets it before it empties the pool: one of the two finds the message.
        if (Volatile.Read(ref _disposed))
        {
            Dispose();
        }

        _forgotten?.Invoke();
    }

    /// <summary>
    /// Disposes the timer and returns the buffers of idle messages; a message settled later returns its own. Call it after <see cref="CloseAsync"/>.
    /// </summary>
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

    private void HandIn(SlotLease slots)
    {
        int used = 0;
        while (used < slots.Count && _ready.TryTake(out T? message))
        {
            _handedIn[used++] = message;
            Left(message);
            message.BeginDelivery();
        }

        slots.Accept(_handedIn.AsSpan(0, used));
        Array.Clear(_handedIn, 0, used);
    }

    private void Left(T message)
    {
        if (!message.IsWaiting)
        {
            // A first delivery was never counted.
            return;
        }

        message.IsWaiting = false;
        Interlocked.Add(ref _waitingBytes, -message.Body.Length);
        Interlocked.Decrement(ref _waiting);
        if (Volatile.Read(ref _space) is not null && !IsFull)
        {
            lock (_gate)
            {
                _space?.TrySetResult();
                _space = null;
            }
        }
    }

    // Each side writes its field before it reads the other's, so one of them sees both.
    private void EndIfDrained()
    {
        if (Volatile.Read(ref _draining) && Unsettled == 0)
        {
            _ready.Close();
        }
    }
}

/// <summary>The services that <see cref="InMemoryMessages{T}"/> needs from its source and route.</summary>
/// <param name="Source">The source's name, for dead letters.</param>
/// <param name="Route">The route it feeds.</param>
/// <param name="Concurrency">The slots of the source, at least 1.</param>
/// <param name="DeadLetters">The dead-letter store.</param>
/// <param name="Time">The clock; tests drive it.</param>
/// <param name="Logger">The source's log.</param>
/// <param name="Metrics">The route's counters; null outside a route.</param>
internal sealed record InMemoryServices(
    string Source, string Route, int Concurrency, IDeadLetterStore DeadLetters, TimeProvider Time, ILogger Logger, RouteMetrics? Metrics = null)
{
    /// <summary>The services of a source, from those of its route.</summary>
    public static InMemoryServices Of(SourceServices services, ILogger logger) =>
        new(services.Name, services.Route, services.Concurrency, services.DeadLetters, services.Time, logger, services.Metrics);
}

/// <summary>Counts work in progress, and tells when there is none. Threads: any number begin and end; one waits.</summary>
internal sealed class WorkCount
{
    private int _count;
    private TaskCompletionSource? _none;

    public bool Any => Volatile.Read(ref _count) > 0;

    public void Begin() => Interlocked.Increment(ref _count);

    public void End()
    {
        if (Interlocked.Decrement(ref _count) == 0)
        {
            Volatile.Read(ref _none)?.TrySetResult();
        }
    }

    /// <summary>Completes when everything that has begun has ended.</summary>
    public Task WhenNoneAsync()
    {
        TaskCompletionSource none = new(TaskCreationOptions.RunContinuationsAsynchronously);

        // Before the count is read, and End lowers the count before it looks for the waiter: one of the two sees the other.
        Interlocked.Exchange(ref _none, none);
        return Any ? none.Task : Task.CompletedTask;
    }
}
