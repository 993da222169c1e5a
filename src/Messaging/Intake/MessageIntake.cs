using System.Diagnostics;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Sources;
using Quayside.Messaging.Stages;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Contexts;
using Quayside.Pipeline.Execution;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Intake;

/// <summary>
/// The intake of one source of a route: a fixed number of slots, each of which processes one message at a time on pool threads, from acceptance to settlement.
/// It is what the source and the slots call; <see cref="SlotTable"/> knows where each slot is, <see cref="Admission"/> how many may be used,
/// <see cref="HeldMessages"/> what waits for the sink, <see cref="IntakeReports"/> what went wrong. The first three have one lock, which methods named
/// <c>_NeedsLock</c> are called under. Slots are filled and freed several at a time, so that most messages do not take it; they are reused, so a message
/// allocates nothing here.
/// </summary>
internal sealed class MessageIntake : IMessageIntake, ISlotOwner, IAsyncDisposable
{
    // Interval of the timeout check; a message may exceed its timeout by as much.
    private static readonly TimeSpan WatchInterval = TimeSpan.FromMilliseconds(500);

    // Messages accepted under one lock; their sizes are on the stack.
    private const int BatchLimit = 64;

    private readonly Lock _lock = new();
    private readonly SlotTable _table;
    private readonly HeldMessages _held;
    private readonly Admission _admission;
    private readonly IntakeOptions _options;
    private readonly RecoverabilityPolicy _policy;
    private readonly CircuitBreaker _breaker;
    private readonly ITimer _watch;
    private bool _isAborting;
    private volatile bool _wasAsked;

    public MessageIntake(
        IPipeline<MessageContext> pipeline, IntakeOptions options, RecoverabilityPolicy policy, CircuitBreaker breaker, IntakeReports reports,
        TimeProvider time, SlotRange slots)
    {
        Pipeline = pipeline;
        Reports = reports;
        Time = time;
        _options = options;
        _policy = policy;
        _breaker = breaker;
        _table = new SlotTable(this, slots.Max);
        _held = new HeldMessages(_table, policy, breaker, reports, time);
        _admission = new Admission(_lock, this, _table, _held, new SlotLimit(slots, time.TimestampFrequency), options.BytesInFlight, breaker, time);
        _breaker.Closed += _admission.BreakerClosed;
        _breaker.Throttling += _admission.Throttled;
        _watch = time.CreateTimer(static state => ((MessageIntake)state!).Watch(), this, WatchInterval, WatchInterval);
    }

    public IntakeReports Reports { get; }

    /// <summary>The source of the messages, for their spans.</summary>
    public required MessageDestination Destination { get; init; }

    /// <summary>Largest body that reaches the pipeline; a message with a larger one is dead-lettered.</summary>
    public long MaxMessageBytes { get; init; } = long.MaxValue;

    /// <summary>True when the source itself starts the spans of its settlements.</summary>
    public bool TracesSettlement { get; init; }

    /// <summary>True after the source has asked for a slot since its receiving began, which sets it to false.</summary>
    public bool WasAsked
    {
        get => _wasAsked;
        set => _wasAsked = value;
    }

    /// <inheritdoc cref="Admission.Limit"/>
    public int Limit => _admission.Limit;

    /// <summary>Messages in flight, held ones included; reserved slots without a message do not count.</summary>
    public int InFlight
    {
        get
        {
            lock (_lock)
            {
                _admission.TakeFinished_NeedsLock();
                return _table.InUse;
            }
        }
    }

    /// <summary>Body bytes of the messages in flight.</summary>
    public long BytesInFlight
    {
        get
        {
            lock (_lock)
            {
                _admission.TakeFinished_NeedsLock();
                return _table.Bytes;
            }
        }
    }

    /// <summary>Messages that wait in their slots until the sink works.</summary>
    public int Held
    {
        get
        {
            lock (_lock)
            {
                return _held.Count;
            }
        }
    }

    /// <summary>Time since the oldest message in flight was accepted; zero when there is none.</summary>
    public TimeSpan OldestAge => _table.All.Max(slot => slot.Age);

    /// <summary>Work items used so far, for tests.</summary>
    internal long WorkItems => _table.WorkItems;

    internal IPipeline<MessageContext> Pipeline { get; }

    internal TimeProvider Time { get; }

    public ValueTask<SlotLease> ReserveAsync(int min, int max, CancellationToken cancellationToken)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(min, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(max, min);
        cancellationToken.ThrowIfCancellationRequested();
        _wasAsked = true;
        return _admission.ReserveAsync(min, max, cancellationToken);
    }

    public IntakeAnswer TryReserve(out SlotLease slot)
    {
        _wasAsked = true;
        IntakeAnswer answer = _admission.TryReserve();
        slot = answer == IntakeAnswer.Reserved ? new SlotLease(this, 1) : default;
        return answer;
    }

    public void Release(int slots)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(slots);
        if (slots > 0)
        {
            _admission.Release(slots);
        }
    }

    public void Accept(ReceivedMessage message) => Accept(new ReadOnlySpan<ReceivedMessage>(in message));

    public void Accept(ReadOnlySpan<ReceivedMessage> messages)
    {
        // Sizes are read outside the lock, because a source's code reads the body.
        Span<int> sizes = stackalloc int[BatchLimit];
        while (!messages.IsEmpty)
        {
            ReadOnlySpan<ReceivedMessage> batch = messages[..Math.Min(messages.Length, BatchLimit)];
            messages = messages[batch.Length..];
            for (int i = 0; i < batch.Length; i++)
            {
                sizes[i] = SizeOf(batch[i]);
            }

            Accept(batch, sizes);
        }
    }

    /// <summary>
    /// While it is paused, no slot is granted, whatever the breaker says. Slots that are reserved already may still receive; held messages are
    /// retried and may probe the sink.
    /// </summary>
    public void SetPaused(bool isPaused) => _admission.SetPaused(isPaused);

    public Task WhenPausedAsync(CancellationToken cancellationToken) => _admission.WhenPausedAsync(cancellationToken);

    /// <summary>From here on <see cref="TryReserve"/> answers Stopping, and held messages are not retried.</summary>
    public void Stop() => _admission.Stop();

    /// <summary>
    /// Abandons held messages, and holds none from here on. Call it after receiving has ended: a running receive would receive them again,
    /// at the cost of a delivery each.
    /// </summary>
    public void ReturnHeld()
    {
        lock (_lock)
        {
            _held.Close_NeedsLock();
        }

        _table.Post();
    }

    /// <summary>Waits until every slot is free.</summary>
    /// <exception cref="OperationCanceledException">The token was cancelled first; some messages are still in flight.</exception>
    public Task DrainAsync(CancellationToken cancellationToken)
    {
        lock (_lock)
        {
            _admission.TakeFinished_NeedsLock();
            return _table.DrainAsync_NeedsLock().WaitAsync(cancellationToken);
        }
    }

    /// <summary>Cancels every message in flight, and each that a source still accepts; they are abandoned.</summary>
    public void Abort()
    {
        ReturnHeld();
        lock (_lock)
        {
            _isAborting = true;
        }

        foreach (MessageSlot slot in _table.All)
        {
            slot.Cancel(Cancellation.Shutdown);
        }
    }

    public async ValueTask DisposeAsync()
    {
        _breaker.Closed -= _admission.BreakerClosed;
        _breaker.Throttling -= _admission.Throttled;
        await _watch.DisposeAsync();
    }

    /// <summary>Reads the body again, of a message without an id, or whose size is above the limit or could not be read.</summary>
    /// <returns>True when the message must not reach the pipeline: by its settlement, or by the exception of reading it.</returns>
    internal bool IsRefused(ReceivedMessage message, out Settlement settlement, out Exception? failure)
    {
        settlement = default;
        failure = null;
        try
        {
            int length = message.Body.Length;
            bool hasId = !message.SourceId.IsEmpty;
            if (hasId && length <= MaxMessageBytes)
            {
                return false;
            }

            settlement = !hasId ? Reports.ReportNoId()
                : Settlement.DeadLetter("too-large", $"The body has {length} bytes; Stages:MaxMessageBytes allows {MaxMessageBytes}.");
        }
        catch (Exception exception)
        {
            failure = exception;
        }

        TracingBehavior.Record(Destination, message, settlement, failure);
        return true;
    }

    internal bool TryRead(Exception failure, Cancellation cancellation, out Settlement settlement) => _policy.TryRead(failure, cancellation, out settlement);

    internal Settlement Decide(
        ReceivedMessage message, Settlement decided, Exception? exception, Cancellation cancellation, long acceptedAt, TimeSpan returnDelay)
    {
        Settlement settlement;
        try
        {
            settlement = _policy.Decide(decided, exception, message.DeliveryCount, cancellation);
        }
        catch (Exception broken)
        {
            // A delivery count or an exception's text of foreign code that throws: the message must still be settled.
            settlement = Settlement.Abandon(TimeSpan.Zero, $"Its settlement could not be decided ({broken.GetType().Name}).", broken.GetType().FullName);
        }

        if (settlement.Kind == SettlementKind.Abandon && settlement.Delay < returnDelay)
        {
            settlement = settlement with { Delay = returnDelay };
        }

        try
        {
            Reports.ReportFault(message, decided, exception, cancellation);
            Reports.Report(message, settlement, cancellation, acceptedAt);
        }
        catch (Exception)
        {
            // A log or metrics listener that throws must not change the settlement.
        }

        return settlement;
    }

    /// <summary>The settlement's span; null without a listener, or when the source starts its own.</summary>
    internal Activity? StartSettle(ReceivedMessage message) =>
        message.Span is { } span && !TracesSettlement ? MessageSpans.StartSettle(Destination, span) : null;

    internal static void EndSettle(Activity? span, Exception? failure)
    {
        if (span is not null && failure is not null)
        {
            MessageSpans.Fail(span, failure);
        }

        MessageSpans.End(span);
    }

    /// <summary>Holds a message after a failed attempt, if the fault is the sink's and the source allows it.</summary>
    /// <returns>False when the message must be settled. After true the next attempt may have begun already.</returns>
    internal bool TryHold(MessageSlot slot, ReceivedMessage message, in Settlement fault)
    {
        if (!_held.MayHold(slot, message, fault, out TimeSpan limit, out bool canReturnLate))
        {
            return false;
        }

        lock (_lock)
        {
            if (!_held.TryAdd_NeedsLock(slot, fault, limit, canReturnLate))
            {
                return false;
            }

            _admission.EndProbe_NeedsLock(slot);
            return true;
        }
    }

    /// <summary>An exception on a pool thread would end the process.</summary>
    internal void SettlingFailed(Exception exception) => Reports.SettlingFailed(exception);

    /// <summary>The slot's message is settled; <see cref="ReturnFinished"/> follows.</summary>
    internal void Finished(MessageSlot slot)
    {
        Reports.Settled();
        _table.Finish(slot);
    }

    /// <inheritdoc cref="Admission.ReturnFinished"/>
    internal void ReturnFinished() => _admission.ReturnFinished();

    /// <inheritdoc cref="Admission.Withdraw"/>
    internal void Withdraw(SlotRequest request) => _admission.Withdraw(request);

    /// <inheritdoc cref="Admission.TopUp"/>
    internal int TopUp(int granted, int max) => _admission.TopUp(granted, max);

    internal void Recycle(SlotRequest request) => _admission.Recycle(request);

    private void Accept(ReadOnlySpan<ReceivedMessage> batch, ReadOnlySpan<int> sizes)
    {
        long now = Time.GetTimestamp();
        lock (_lock)
        {
            if (_table.Reserved < batch.Length)
            {
                throw new InvalidOperationException(
                    $"Accept was called for {batch.Length} message(s), but only {_table.Reserved} slots are reserved. "
                        + "Reserve them with ReserveAsync or TryReserve first.");
            }

            Reports.Received(batch.Length);
            for (int i = 0; i < batch.Length; i++)
            {
                MessageSlot slot = _table.Fill_NeedsLock(batch[i], sizes[i], now);
                _admission.BeginProbe_NeedsLock(slot);
                if (_isAborting)
                {
                    slot.Cancel(Cancellation.Shutdown);
                }

                _table.Run_NeedsLock(slot);
            }

            _admission.Accepted_NeedsLock(batch.Length, now);
        }

        _table.Post();
    }

    private void Watch()
    {
        long now = Time.GetTimestamp();
        Reports.Watch(_table.All, _options.MessageTimeout, now);
        _breaker.Tick();
        _admission.Watch(now);
    }

    /// <summary>
    /// A body that is unreadable, or of a message without an id, counts as empty: <see cref="IsRefused"/> reads both again, and decides the settlement.
    /// </summary>
    private static int SizeOf(ReceivedMessage message)
    {
        try
        {
            return message.SourceId.IsEmpty ? 0 : message.Body.Length;
        }
        catch (Exception)
        {
            return 0;
        }
    }
}
