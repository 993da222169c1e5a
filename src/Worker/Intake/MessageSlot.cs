using System.Runtime.CompilerServices;
using Pipeline.Contexts;
using Pipeline.Messages;
using Pipeline.Settlements;
using Worker.Recoverability;

namespace Worker.Intake;

/// <summary>
/// Carries one message at a time from acceptance to settlement. Its own continuation, so that waiting for the pipeline costs no
/// state machine. Threads: one message, one thread at a time; <see cref="Cancel"/> and <see cref="Age"/> come from others.
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
    private int _bytes;

    // Guarded by _lock: a timeout must never hit the message that comes next.
    private bool _busy;
    private long _startedAt;
    private Cancellation _cancellation;

    public MessageSlot(MessageIntake intake)
    {
        _intake = intake;
        _pipelineDone = PipelineDone;
        _settlingDone = SettlingDone;
    }

    /// <summary>How long the present message has been worked on; zero when there is none.</summary>
    public TimeSpan Age
    {
        get
        {
            lock (_lock)
            {
                return _busy ? _intake.Time.GetElapsedTime(_startedAt) : TimeSpan.Zero;
            }
        }
    }

    /// <summary>The breaker's probe that this message is; 0 when it is none. Written under the intake's lock.</summary>
    public long Probe { get; set; }

    public void Start(ReceivedMessage message, int bytes)
    {
        _message = message;
        _bytes = bytes;
        lock (_lock)
        {
            _busy = true;
            _startedAt = _intake.Time.GetTimestamp();
            _cancellation = Cancellation.None;
        }

        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    public void Cancel(Cancellation reason)
    {
        lock (_lock)
        {
            if (_busy && _cancellation == Cancellation.None)
            {
                _cancellation = reason;

                // Asynchronously: the callbacks must not run under this lock.
                _ = _cancellationSource.CancelAsync();
            }
        }
    }

    void IThreadPoolWorkItem.Execute()
    {
        _context.Message = _message!;
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

    private void Settle(Exception? failure)
    {
        Cancellation cancellation;
        TimeSpan elapsed;
        lock (_lock)
        {
            _busy = false;
            cancellation = _cancellation;
            elapsed = _intake.Time.GetElapsedTime(_startedAt);
        }

        ReceivedMessage message = _message!;
        Settlement decided = _context.Settlement;
        _message = null;
        _context.Reset();
        if (!_cancellationSource.TryReset())
        {
            // Not disposed: what ignored the cancellation may still look at it.
            _cancellationSource = new CancellationTokenSource();
        }

        try
        {
            Settlement settlement = _intake.Decide(message, decided, failure, cancellation, elapsed);
            _awaiter = message.SettleAsync(settlement, CancellationToken.None).ConfigureAwait(false).GetAwaiter();
        }
        catch (Exception exception)
        {
            _intake.SettlingFailed(exception);
            _intake.Finished(this, _bytes);
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
        try
        {
            _awaiter.GetResult();
        }
        catch (Exception exception)
        {
            _intake.SettlingFailed(exception);
        }

        _awaiter = default;
        _intake.Finished(this, _bytes);
    }
}
