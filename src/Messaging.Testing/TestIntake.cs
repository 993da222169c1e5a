using System.Collections.Concurrent;
using System.Threading.Channels;
using Quayside.Messaging.Sources;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Testing;

/// <summary>
/// An intake without a route: it settles messages by a script, or leaves them to the test, and counts the slots that were reserved, used
/// and released. A slot is free again after its message is settled. Threads: any.
/// </summary>
/// <param name="concurrency">Its slots.</param>
public sealed class TestIntake(int concurrency = 64) : IMessageIntake, ISlotOwner
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(60);

    private readonly Channel<Delivery> _deliveries = Channel.CreateUnbounded<Delivery>();
    private readonly SemaphoreSlim _slots = new(concurrency);
    private readonly ConcurrentQueue<Exception> _failures = new();

    // Guards the counters, so that values computed from several of them are consistent.
    private readonly Lock _lock = new();
    private readonly TaskScheduler _oneAtATime = new ConcurrentExclusiveSchedulerPair().ExclusiveScheduler;
    private TaskCompletionSource _allowed = Completed();
    private TaskCompletionSource _paused = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private TaskCompletionSource? _drained;
    private int _reserved;
    private int _released;
    private int _accepted;
    private int _unsettled;
    private int _undecided;
    private int _maxUnsettled;
    private int _waiting;
    private bool _refused;

    /// <summary>
    /// Decides each message, on a thread of the pool, one message at a time: what the script keeps in a list or counts needs no lock. A script
    /// therefore must not wait for another message; leave such messages to <see cref="NextAsync"/>. Null, or a script that returns null, leaves
    /// the message to <see cref="NextAsync"/>.
    /// </summary>
    public Func<Delivery, Settlement?>? Script { get; set; }

    /// <summary>The answer of <see cref="TryReserve"/> whatever slots are free; null to look at the slots.</summary>
    public IntakeAnswer? Answer { get; set; }

    /// <summary>Its slots.</summary>
    public int Concurrency { get; } = concurrency;

    /// <summary>Messages accepted.</summary>
    public int Accepted => Read(ref _accepted);

    /// <summary>Slots released unused.</summary>
    public int Released => Read(ref _released);

    /// <summary>Messages accepted and not settled yet.</summary>
    public int Unsettled => Read(ref _unsettled);

    /// <summary>The peak number of messages whose settlement had not begun. What waits for one may deliver the next message before the call returns.</summary>
    public int MaxUnsettled => Read(ref _maxUnsettled);

    /// <summary>Slots reserved and neither used nor released; 0 at the end.</summary>
    public int Balance
    {
        get
        {
            lock (_lock)
            {
                return _reserved - _accepted - _released;
            }
        }
    }

    /// <summary>Exceptions of scripts and settlements; empty at the end.</summary>
    public IReadOnlyCollection<Exception> Failures => _failures;

    /// <summary>Grants no slots until <see cref="Resume"/>, as a route whose breaker is open.</summary>
    public void Pause()
    {
        Volatile.Write(ref _refused, false);
        _allowed = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
    }

    /// <summary>As <see cref="Pause"/>, and tells the source, as a route that an operator has paused.</summary>
    public void PauseByOperator()
    {
        Pause();
        _paused.TrySetResult();
    }

    /// <summary>Grants slots again.</summary>
    public void Resume()
    {
        _paused = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _allowed.TrySetResult();
    }

    /// <inheritdoc/>
    public Task WhenPausedAsync(CancellationToken cancellationToken) => _paused.Task.WaitAsync(cancellationToken);

    /// <inheritdoc/>
    public async ValueTask<SlotLease> ReserveAsync(int min, int max, CancellationToken cancellationToken)
    {
        Require.True(min > 0 && max >= min, $"A source asks for at least one slot, and its maximum is not below its minimum: it asked for {min} to {max}.");
        Interlocked.Increment(ref _waiting);
        try
        {
            await _allowed.Task.WaitAsync(cancellationToken);
        }
        finally
        {
            Interlocked.Decrement(ref _waiting);
        }

        while (true)
        {
            await _slots.WaitAsync(cancellationToken);
            int granted = 1;
            while (granted < max && _slots.Wait(0, CancellationToken.None))
            {
                granted++;
            }

            if (granted >= Math.Min(min, Concurrency))
            {
                Reserve(granted);
                return new SlotLease(this, granted);
            }

            _slots.Release(granted);
            await Task.Delay(1, cancellationToken);
        }
    }

    /// <inheritdoc/>
    public IntakeAnswer TryReserve(out SlotLease slot)
    {
        slot = default;
        if (Answer is { } answer and not IntakeAnswer.Reserved)
        {
            return answer;
        }

        if (!_allowed.Task.IsCompleted)
        {
            Volatile.Write(ref _refused, true);
            return IntakeAnswer.Paused;
        }

        if (!_slots.Wait(0, CancellationToken.None))
        {
            return IntakeAnswer.Full;
        }

        Reserve(1);
        slot = new SlotLease(this, 1);
        return IntakeAnswer.Reserved;
    }

    void ISlotOwner.Release(int slots)
    {
        Require.True(slots > 0, $"A source releases slots that it has: it released {slots}.");
        lock (_lock)
        {
            _released += slots;
            Require.True(Balance >= 0, "The source released more slots than it had reserved.");
        }

        _slots.Release(slots);
    }

    void ISlotOwner.Accept(ReadOnlySpan<ReceivedMessage> messages)
    {
        foreach (ReceivedMessage message in messages)
        {
            Accept(message);
        }
    }

    private void Accept(ReceivedMessage message)
    {
        lock (_lock)
        {
            _accepted++;
            Require.True(Balance >= 0, "The source delivered a message without a reserved slot.");
            _unsettled++;
            _maxUnsettled = Math.Max(_maxUnsettled, ++_undecided);
        }

        Delivery delivery = new(message, Decided, Settled);
        if (Script is { } script)
        {
            _ = Task.Run(() => RunAsync(script, delivery));
        }
        else
        {
            _deliveries.Writer.TryWrite(delivery);
        }
    }

    /// <summary>Waits until every message is settled, as a route does between the drain of its sources and their close.</summary>
    public Task DrainAsync(CancellationToken cancellationToken)
    {
        lock (_lock)
        {
            _drained ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            return _unsettled == 0 ? Task.CompletedTask : _drained.Task.WaitAsync(cancellationToken);
        }
    }

    /// <summary>The next message that is left to the test, which settles it.</summary>
    /// <exception cref="ContractException">None was delivered within 60 s.</exception>
    public async Task<Delivery> NextAsync()
    {
        using CancellationTokenSource limit = new(Limit);
        try
        {
            return await _deliveries.Reader.ReadAsync(limit.Token);
        }
        catch (OperationCanceledException exception)
        {
            throw new ContractException(
                $"The source delivered no message within {Limit.TotalSeconds} s; {Unsettled} of {Concurrency} slots are in use.", exception);
        }
    }

    /// <summary>True while a source waits for slots, and after it was refused since the intake was paused.</summary>
    public bool IsReserving => Volatile.Read(ref _waiting) > 0 || Volatile.Read(ref _refused);

    /// <summary>Waits until a source asks for slots, and waits for them or is refused, while the intake is paused.</summary>
    /// <exception cref="OperationCanceledException">No source asked within 60 s.</exception>
    public async Task UntilReservingAsync()
    {
        using CancellationTokenSource limit = new(Limit);
        while (!IsReserving)
        {
            await Task.Delay(1, limit.Token);
        }
    }

    /// <summary>Waits until <paramref name="count"/> messages were accepted.</summary>
    /// <exception cref="OperationCanceledException">They were not within 60 s.</exception>
    public async Task UntilAcceptedAsync(int count)
    {
        using CancellationTokenSource limit = new(Limit);
        while (Accepted < count)
        {
            await Task.Delay(1, limit.Token);
        }
    }

    private async Task RunAsync(Func<Delivery, Settlement?> script, Delivery delivery)
    {
        try
        {
            if (await Task.Factory.StartNew(() => script(delivery), CancellationToken.None, TaskCreationOptions.HideScheduler, _oneAtATime) is { } settlement)
            {
                await delivery.SettleAsync(settlement);
            }
            else
            {
                _deliveries.Writer.TryWrite(delivery);
            }
        }
        catch (Exception exception)
        {
            _failures.Enqueue(exception);
        }
    }

    private void Reserve(int slots)
    {
        lock (_lock)
        {
            _reserved += slots;
        }
    }

    private void Decided()
    {
        lock (_lock)
        {
            _undecided--;
        }
    }

    private void Settled()
    {
        lock (_lock)
        {
            // Counted before the slot is free, because the next message counts itself.
            if (--_unsettled == 0)
            {
                _drained?.SetResult();
                _drained = null;
            }

            _slots.Release();
        }
    }

    private int Read(ref int counter)
    {
        lock (_lock)
        {
            return counter;
        }
    }

    private static TaskCompletionSource Completed()
    {
        TaskCompletionSource completed = new();
        completed.SetResult();
        return completed;
    }
}
