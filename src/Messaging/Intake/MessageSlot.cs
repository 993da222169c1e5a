using System.Diagnostics;
using System.Runtime.CompilerServices;
using Messaging.Recoverability;
using Pipeline.Contexts;
using Pipeline.Messages;
using Pipeline.Settlements;

namespace Messaging.Intake;

/// <summary>
/// Processes one message at a time from acceptance to settlement, in one attempt or, while the sink fails, in several. It is its own
/// continuation, so that awaiting the pipeline allocates no state machine. Threads: one at a time per message;
/// <see cref="Cancel"/>, <see cref="Age"/> and <see cref="AttemptAge"/>: any.
/// </summary>
internal sealed class MessageSlot : IThreadPoolWorkItem
{
    private readonly MessageIntake _intake;
    private readonly PhysicalContext _context = new();
    private readonly Action _pipelineDone;
    private readonly Action _settlingDone;
    private readonly Lock _lock = new();

    private CancellationTokenSource _cancellationSource = new();
    private ConfiguredValueTaskAwaitable.ConfiguredValueTaskAwaiter _awaiter;
    private ReceivedMessage? _message;
    private Activity? _settling;
    private int _bytes;
    private bool _holdEnded;

    // Guarded by _lock: a timeout must never cancel the next message or the next attempt.
    private bool _occupied;
    private bool _busy;
    private long _acceptedAt;
    private long _startedAt;
    private Cancellation _cancellation;

    public MessageSlot(MessageIntake intake)
    {
        _intake = intake;
        _pipelineDone = PipelineDone;
        _settlingDone = SettlingDone;
    }

    /// <summary>Time since the current message was accepted; zero when there is none.</summary>
    public TimeSpan Age
    {
        get
        {
            lock (_lock)
            {
                return _occupied ? _intake.Time.GetElapsedTime(_acceptedAt) : TimeSpan.Zero;
            }
        }
    }

    /// <summary>Time since the current attempt began; zero without one, such as while the message is held.</summary>
    public TimeSpan AttemptAge
    {
        get
        {
            lock (_lock)
            {
                return _busy ? _intake.Time.GetElapsedTime(_startedAt) : TimeSpan.Zero;
            }
        }
    }

    /// <summary>The state of the message while the sink fails. Guarded by the intake's lock while the message is held.</summary>
    public SlotHold Hold { get; } = new();

    /// <summary>The number of the breaker's probe, if this message is the probe; otherwise 0. Written under the intake's lock.</summary>
    public long Probe { get; set; }

    public void Start(ReceivedMessage message, int bytes)
    {
        _message = message;
        _bytes = bytes;
        lock (_lock)
        {
            _occupied = true;
            _busy = true;
            _acceptedAt = _intake.Time.GetTimestamp();
            _startedAt = _acceptedAt;
            _cancellation = Cancellation.None;
        }

        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    /// <summary>Begins another attempt at a held message.</summary>
    public void Retry()
    {
        lock (_lock)
        {
            _busy = true;
            _startedAt = _intake.Time.GetTimestamp();
        }

        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    /// <summary>Abandons a held message.</summary>
    /// <param name="reason">Shutdown, or None when its hold time ended.</param>
    public void EndHold(Cancellation reason)
    {
        lock (_lock)
        {
            _cancellation = reason;
        }

        _holdEnded = true;
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    public void Cancel(Cancellation reason)
    {
        lock (_lock)
        {
            if (_busy && _cancellation == Cancellation.None)
            {
                _cancellation = reason;

                // Asynchronous, so that callbacks do not run under this lock.
                _ = _cancellationSource.CancelAsync();
            }
        }
    }

    void IThreadPoolWorkItem.Execute()
    {
        if (_holdEnded)
        {
            SettleHeld();
            return;
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
            Settle(exception);
            return;
        }

        if (_awaiter.IsCompleted)
        {
            PipelineDone();
        }
        else
        {
            _awaiter.UnsafeOnCompleted(_pipelineDone);
        }
    }

    private void PipelineDone()
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

        Settle(failure);
    }

    private void SettleHeld()
    {
        // At a shutdown no fault is passed, so that the message is abandoned without a delay.
        Settle(_cancellation == Cancellation.Shutdown ? default : Hold.Fault, failure: null, _cancellation);
    }

    private void Settle(Exception? failure)
    {
        Cancellation cancellation;
        lock (_lock)
        {
            _busy = false;
            cancellation = _cancellation;
        }

        Settlement decided = _context.Settlement;
        _context.Reset();
        if (!_cancellationSource.TryReset())
        {
            // Not disposed: code that ignored the cancellation may still use its token.
            _cancellationSource = new CancellationTokenSource();
        }

        if (failure is not null && RecoverabilityPolicy.TryRead(failure, out Settlement known))
        {
            decided = known;
            failure = null;
        }

        // Once held, another thread may retry the message before TryHold returns.
        if (failure is not null || !decided.MayHold || cancellation != Cancellation.None || !_intake.TryHold(this, _message!, decided))
        {
            Settle(decided, failure, cancellation);
        }
    }

    private void Settle(in Settlement decided, Exception? failure, Cancellation cancellation)
    {
        TimeSpan elapsed;
        lock (_lock)
        {
            _occupied = false;
            elapsed = _intake.Time.GetElapsedTime(_acceptedAt);
        }

        ReceivedMessage message = _message!;
        TimeSpan returnDelay = Hold.ReturnDelay;
        _message = null;
        _holdEnded = false;
        if (Hold.Failures > 0)
        {
            Hold.Reset();
        }

        try
        {
            Settlement settlement = _intake.Decide(message, decided, failure, cancellation, elapsed, returnDelay);
            _settling = _intake.StartSettle(message);
            _awaiter = message.SettleAsync(settlement, CancellationToken.None).ConfigureAwait(false).GetAwaiter();
        }
        catch (Exception exception)
        {
            Settled(exception);
            return;
        }

        if (_awaiter.IsCompleted)
        {
            SettlingDone();
        }
        else
        {
            _awaiter.UnsafeOnCompleted(_settlingDone);
        }
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
        _intake.Finished(this, _bytes);
    }
}
