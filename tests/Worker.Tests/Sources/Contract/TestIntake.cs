using System.Collections.Concurrent;
using System.Threading.Channels;
using Messaging.Sources;
using Pipeline.Messages;
using Pipeline.Settlements;

namespace Worker.Tests.Sources.Contract;

/// <summary>
/// A route's door without a route: settles by a script, or keeps messages for the test to settle, and counts what was reserved,
/// accepted and released. A slot is free again once its message is settled.
/// </summary>
internal sealed class TestIntake(int concurrency = 64) : IMessageIntake
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(20);

    private readonly Channel<Delivery> _deliveries = Channel.CreateUnbounded<Delivery>();
    private readonly SemaphoreSlim _slots = new(concurrency);
    private readonly ConcurrentQueue<Exception> _failures = new();

    // Guards the counters, so that what is computed from several of them is of one moment.
    private readonly Lock _lock = new();
    private TaskCompletionSource _allowed = Completed();
    private TaskCompletionSource? _drained;
    private int _reserved;
    private int _released;
    private int _accepted;
    private int _unsettled;
    private int _mostUnsettled;
    private int _waiting;

    /// <summary>Decides each message on a pool thread; null, or an answer of null, keeps it for the test.</summary>
    public Func<Delivery, Settlement?>? Script { get; set; }

    /// <summary>What TryReserve says instead of looking at the slots.</summary>
    public IntakeAnswer? Answer { get; set; }

    public int Accepted => Read(ref _accepted);

    public int Released => Read(ref _released);

    /// <summary>Accepted and not settled.</summary>
    public int Unsettled => Read(ref _unsettled);

    /// <summary>The most messages that were unsettled at once.</summary>
    public int MostUnsettled => Read(ref _mostUnsettled);

    /// <summary>Slots reserved and neither used nor given back; 0 at the end.</summary>
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

    /// <summary>What went wrong while settling; empty at the end.</summary>
    public IReadOnlyCollection<Exception> Failures => _failures;

    public void Pause() => _allowed = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);

    public void Resume() => _allowed.TrySetResult();

    public async ValueTask<int> ReserveAsync(int min, int max, CancellationToken cancellationToken)
    {
        min.ShouldBeGreaterThan(0);
        max.ShouldBeGreaterThanOrEqualTo(min);
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

            if (granted >= Math.Min(min, concurrency))
            {
                Reserve(granted);
                return granted;
            }

            _slots.Release(granted);
            await Task.Delay(1, cancellationToken);
        }
    }

    public IntakeAnswer TryReserve()
    {
        if (Answer is { } answer and not IntakeAnswer.Reserved)
        {
            return answer;
        }

        if (!_allowed.Task.IsCompleted)
        {
            return IntakeAnswer.Paused;
        }

        if (!_slots.Wait(0, CancellationToken.None))
        {
            return IntakeAnswer.Full;
        }

        Reserve(1);
        return IntakeAnswer.Reserved;
    }

    public void Release(int slots)
    {
        slots.ShouldBeGreaterThan(0);
        lock (_lock)
        {
            _released += slots;
            Balance.ShouldBeGreaterThanOrEqualTo(0, "More slots were given back than reserved.");
        }

        _slots.Release(slots);
    }

    public void Accept(ReceivedMessage message)
    {
        lock (_lock)
        {
            _accepted++;
            Balance.ShouldBeGreaterThanOrEqualTo(0, "A message was handed in without a slot.");
            _unsettled++;
            _mostUnsettled = Math.Max(_mostUnsettled, _unsettled);
        }

        Delivery delivery = new(message, Settled);
        if (Script is { } script)
        {
            _ = Task.Run(() => RunAsync(script, delivery));
        }
        else
        {
            _deliveries.Writer.TryWrite(delivery);
        }
    }

    /// <summary>Waits until every message is settled, as a route does between its sources' drain and their close.</summary>
    public Task DrainAsync(CancellationToken cancellationToken)
    {
        lock (_lock)
        {
            _drained ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            return _unsettled == 0 ? Task.CompletedTask : _drained.Task.WaitAsync(cancellationToken);
        }
    }

    /// <summary>The next message that is left to the test.</summary>
    public async Task<Delivery> NextAsync()
    {
        using CancellationTokenSource patience = new(Patience);
        return await _deliveries.Reader.ReadAsync(patience.Token);
    }

    /// <summary>Waits until a source asks for a slot while the intake is paused.</summary>
    public async Task UntilSomeoneWaitsAsync()
    {
        using CancellationTokenSource patience = new(Patience);
        while (Volatile.Read(ref _waiting) == 0)
        {
            await Task.Delay(1, patience.Token);
        }
    }

    /// <summary>Waits until so many messages were handed in.</summary>
    public async Task UntilAcceptedAsync(int count)
    {
        using CancellationTokenSource patience = new(Patience);
        while (Accepted < count)
        {
            await Task.Delay(1, patience.Token);
        }
    }

    /// <summary>Sees that no message comes for a moment.</summary>
    public async Task ShouldBeQuietAsync()
    {
        await Task.Delay(60);
        _deliveries.Reader.TryPeek(out Delivery? unexpected).ShouldBeFalse($"Nothing should have come, but {unexpected?.Id} did.");
    }

    private async Task RunAsync(Func<Delivery, Settlement?> script, Delivery delivery)
    {
        try
        {
            if (script(delivery) is { } settlement)
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

    private void Settled()
    {
        lock (_lock)
        {
            // Counted off before the slot is free: the next message counts itself.
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
