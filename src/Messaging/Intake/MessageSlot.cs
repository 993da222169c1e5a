using System.Diagnostics;
using System.Runtime.CompilerServices;
using Quayside.Messaging.Recoverability;
using Quayside.Pipeline.Contexts;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Intake;

/// <summary>
/// Processes one message at a time from acceptance to settlement, in one attempt or, while the sink fails, in several. It is its own
/// continuation, so that awaiting the pipeline allocates no state machine. Threads: one at a time per message;
/// <see cref="Cancel"/>, <see cref="CancelBeyond"/> and <see cref="Age"/>: any.
/// </summary>
internal sealed class MessageSlot
{
    // The state is one word: busy while an attempt runs, the reason of its cancellation, settling, and the number of the attempt. A late
    // Cancel thus never meets the next message or the next attempt.
    private const long Busy = 1;
    private const int ReasonShift = 1;
    private const long ReasonMask = 3 << ReasonShift;
    private const long Settling = 8;
    private const long Attempt = 16;

    private const long NoMessage = long.MinValue;

    private readonly MessageIntake _intake;
    private readonly MessageContext _context = new();
    private readonly Action _pipelineDone;
    private readonly Action _settlingDone;

    private CancellationTokenSource _cancellationSource = new();
    private ConfiguredValueTaskAwaitable.ConfiguredValueTaskAwaiter _awaiter;
    private ReceivedMessage? _message;
    private Activity? _settling;
    private Cancellation? _holdEnd;
    private long _state;
    private long _acceptedAt = NoMessage;
    private long _startedAt;

    // The settlement that the watch saw last, and since when.
    private long _watchedState;
    private long _watchedSince;

    public MessageSlot(MessageIntake intake)
    {
        _intake = intake;
        _pipelineDone = PipelineContinued;
        _settlingDone = SettlingContinued;
    }

    /// <summary>Time since the current message was accepted; zero when there is none.</summary>
    public TimeSpan Age
    {
        get
        {
            long acceptedAt = Volatile.Read(ref _acceptedAt);
            return acceptedAt == NoMessage ? TimeSpan.Zero : _intake.Time.GetElapsedTime(acceptedAt);
        }
    }

    /// <summary>The state of the message since the sink's first fault; null before. Guarded by the intake's lock while the message is held.</summary>
    public SlotHold? Hold { get; set; }

    /// <summary>The number of the breaker's probe, if this message is the probe; otherwise 0. Written under the intake's lock.</summary>
    public long Probe { get; set; }

    /// <summary>Body bytes of the current message.</summary>
    public int Bytes { get; private set; }

    /// <summary>The delay of the settlement that runs, which a source may wait for before it ends the settlement.</summary>
    public TimeSpan SettleDelay { get; private set; }

    /// <summary>The next slot of the intake's finished ones.</summary>
    public MessageSlot? NextFinished { get; set; }

    /// <summary>Takes a message, before the slot is queued for <see cref="Run"/>.</summary>
    /// <param name="message">The message.</param>
    /// <param name="bytes">Its body bytes.</param>
    /// <param name="now">The time of acceptance, as a timestamp.</param>
    public void Open(ReceivedMessage message, int bytes, long now)
    {
        _message = message;
        Bytes = bytes;
        Volatile.Write(ref _acceptedAt, now);
        Begin(now);
    }

    /// <summary>Begins another attempt at a held message, before the slot is queued for <see cref="Run"/>.</summary>
    public void Retry() => Begin(_intake.Time.GetTimestamp());

    /// <summary>Abandons a held message in the next <see cref="Run"/>.</summary>
    /// <param name="reason">Shutdown, or None when its hold time ended.</param>
    public void EndHold(Cancellation reason) => _holdEnd = reason;

    public void Cancel(Cancellation reason)
    {
        long state;
        do
        {
            state = Volatile.Read(ref _state);
        }
        while ((state & (Busy | ReasonMask)) == Busy && !TryCancel(state, reason));
    }

    /// <summary>Cancels the current attempt if it has run for longer than the limit.</summary>
    /// <returns>How long it has run, cancelled now or before; zero when it is within the limit or there is none, such as while the message is held.</returns>
    public TimeSpan CancelBeyond(TimeSpan limit)
    {
        long state = Volatile.Read(ref _state);
        TimeSpan age = _intake.Time.GetElapsedTime(Volatile.Read(ref _startedAt));
        if ((state & Busy) == 0 || age <= limit)
        {
            return TimeSpan.Zero;
        }

        // The age is that of the next attempt if the state has changed meanwhile.
        bool isItsAge = (state & ReasonMask) == 0 ? TryCancel(state, Cancellation.Timeout) : Volatile.Read(ref _state) == state;
        return isItsAge ? age : TimeSpan.Zero;
    }

    /// <summary>How long the watch, which is the only caller, has seen the current settlement; zero when there is none.</summary>
    public TimeSpan WatchSettling(long now)
    {
        long state = Volatile.Read(ref _state);
        if ((state & Settling) == 0 || state != _watchedState)
        {
            _watchedState = state;
            _watchedSince = now;
        }

        return _intake.Time.GetElapsedTime(_watchedSince, now);
    }

    /// <summary>Runs the pipeline and settles the message, or abandons it when its hold has ended.</summary>
    /// <returns>True when the message was settled before the call returned; the slot is then among the intake's finished ones.</returns>
    public bool Run()
    {
        if (_holdEnd is { } reason)
        {
            // At a shutdown no fault is passed, so that the message is abandoned without a delay.
            return Settle(reason == Cancellation.Shutdown ? default : Hold!.Fault, failure: null, reason);
        }

        if ((Bytes == 0 || Bytes > _intake.MaxMessageBytes) && _intake.IsRefused(_message!, out Settlement refusal, out Exception? unreadable))
        {
            _context.Settlement = refusal;
            return Settle(unreadable);
        }

        _context.Message = _message!;
        _context.Destination = _intake.Destination;
        _context.CancellationToken = _cancellationSource.Token;
        try
        {
            _awaiter = _intake.Pipeline.InvokeAsync(_context).ConfigureAwait(false).GetAwaiter();
        }
        catch (Exception exception)
        {
            return Settle(exception);
        }

        if (_awaiter.IsCompleted)
        {
            return PipelineDone();
        }

        _awaiter.UnsafeOnCompleted(_pipelineDone);
        return false;
    }

    private bool TryCancel(long state, Cancellation reason)
    {
        // Read before the exchange, which succeeds only during the attempt that the source belongs to.
        CancellationTokenSource source = Volatile.Read(ref _cancellationSource);
        if (Interlocked.CompareExchange(ref _state, state | ((long)reason << ReasonShift), state) != state)
        {
            return false;
        }

        // Asynchronous, so that callbacks do not run on the caller's thread.
        _ = source.CancelAsync();
        return true;
    }

    private void Begin(long now)
    {
        Volatile.Write(ref _startedAt, now);
        Volatile.Write(ref _state, ((_state & ~(ReasonMask | Busy | Settling)) + Attempt) | Busy);
    }

    private void PipelineContinued()
    {
        if (PipelineDone())
        {
            _intake.ReturnFinished();
        }
    }

    private bool PipelineDone()
    {
        Exception? failure = null;
        try
        {
            _awaiter.GetResult();
        }
        catch (Exception exception)
        {
            failure = exception;
        }

        return Settle(failure);
    }

    private bool Settle(Exception? failure)
    {
        Cancellation cancellation = (Cancellation)((Interlocked.And(ref _state, ~Busy) & ReasonMask) >> ReasonShift);
        Settlement decided = _context.Settlement;
        _context.Reset();
        if (cancellation != Cancellation.None || !_cancellationSource.TryReset())
        {
            // Not disposed: code that ignored the cancellation may still use its token.
            _cancellationSource = new CancellationTokenSource();
        }

        if (failure is not null && _intake.TryRead(failure, cancellation, out Settlement known))
        {
            decided = known;
            failure = null;
        }

        // Once held, another thread may retry the message before TryHold returns.
        return (failure is not null || !decided.MayHold || cancellation != Cancellation.None || !_intake.TryHold(this, _message!, decided))
            && Settle(decided, failure, cancellation);
    }

    private bool Settle(in Settlement decided, Exception? failure, Cancellation cancellation)
    {
        Volatile.Write(ref _state, _state | Settling);
        ReceivedMessage message = _message!;
        TimeSpan returnDelay = Hold?.ReturnDelay ?? TimeSpan.Zero;
        _message = null;
        _holdEnd = null;
        Hold = null;

        try
        {
            Settlement settlement = _intake.Decide(message, decided, failure, cancellation, _acceptedAt, returnDelay);
            SettleDelay = settlement.Delay;
            _settling = _intake.StartSettle(message);
            _awaiter = message.SettleAsync(settlement, CancellationToken.None).ConfigureAwait(false).GetAwaiter();
            if (!_awaiter.IsCompleted)
            {
                _awaiter.UnsafeOnCompleted(_settlingDone);
                return false;
            }
        }
        catch (Exception exception)
        {
            // Of the source's code, its awaiter included.
            Settled(exception);
            return true;
        }

        SettlingDone();
        return true;
    }

    private void SettlingContinued()
    {
        SettlingDone();
        _intake.ReturnFinished();
    }

    private void SettlingDone()
    {
        Exception? failure = null;
        try
        {
            _awaiter.GetResult();
        }
        catch (Exception exception)
        {
            failure = exception;
        }

        _awaiter = default;
        Settled(failure);
    }

    private void Settled(Exception? failure)
    {
        if (failure is not null)
        {
            _intake.SettlingFailed(failure);
        }

        MessageIntake.EndSettle(_settling, failure);
        _settling = null;
        Volatile.Write(ref _acceptedAt, NoMessage);
        Volatile.Write(ref _state, _state & ~Settling);
        _intake.Finished(this);
    }
}
