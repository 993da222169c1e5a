using Messaging.AzureServiceBus;
using Messaging.AzureServiceBus.Port;

namespace Worker.Tests.ServiceBus;

/// <summary>
/// A queue that behaves like the broker: expiring locks, delivery counts, a dead-letter queue after the maximum of deliveries, settling
/// that fails under another lock, and failures on demand. Threads: any.
/// </summary>
internal sealed class FakeBus(TimeProvider time) : IServiceBusConnector
{
    public static readonly TimeSpan LockDuration = TimeSpan.FromMinutes(1);

    private readonly Lock _lock = new();
    private readonly List<BusEntry> _entries = [];
    private readonly List<BusLetter> _letters = [];
    private readonly List<BusCall> _calls = [];
    private TaskCompletionSource _changed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private long _numbers;
    private int _renewals;
    private int _emptyReceives;
    private int _gatedReceives;

    public TimeProvider Time { get; } = time;

    public int MaxDeliveryCount { get; set; } = 10;

    /// <summary>The failure of a settlement; null lets it succeed.</summary>
    public Func<BusCall, ServiceBusFault?>? Script { get; set; }

    /// <summary>While set, settlements of pumps and the peek wait for it.</summary>
    public Task? Gate { get; set; }

    /// <summary>While set, each receive of a pump's loop waits for it, and then no longer looks whether it is to stop.</summary>
    public SemaphoreSlim? ReceiveGate { get; set; }

    /// <summary>Receives that have come to the gate.</summary>
    public int GatedReceives => Volatile.Read(ref _gatedReceives);

    /// <summary>Receives that found no message.</summary>
    public int EmptyReceives => Volatile.Read(ref _emptyReceives);

    /// <summary>While set, no message is received and pumps report this fault.</summary>
    public ServiceBusFault? ReceiveFault { get; set; }

    /// <summary>While set, locks are not renewed and pumps report this fault.</summary>
    public ServiceBusFault? RenewFault { get; set; }

    /// <summary>While set, the close of a link waits for it.</summary>
    public Task? CloseGate { get; set; }

    /// <summary>The next stop of a running pump throws it, after it has stopped.</summary>
    public Exception? StopFailure { get; set; }

    /// <summary>Number of lock renewals by messages, not by a pump.</summary>
    public int Renewals => Volatile.Read(ref _renewals);

    public ServiceBusFault? CheckFault { get; set; }

    public ServiceBusFault? StartFault { get; set; }

    /// <summary>While set, no pump can be opened.</summary>
    public ServiceBusFault? OpenFault { get; set; }

    /// <summary>The most bytes in a batch.</summary>
    public int BatchBytes { get; set; } = 256 << 10;

    public ServiceBusFault? SendFault { get; set; }

    public List<FakePump> Pumps { get; } = [];

    public List<FakeBusSender> Senders { get; } = [];

    /// <summary>Messages in the queue, including locked ones.</summary>
    public int Count
    {
        get
        {
            lock (_lock)
            {
                return _entries.Count;
            }
        }
    }

    /// <summary>Messages delivered but not settled.</summary>
    public int Locked
    {
        get
        {
            lock (_lock)
            {
                return _entries.Count(entry => entry.LockedUntil > Time.GetUtcNow());
            }
        }
    }

    /// <summary>The highest delivery count of the messages in the queue.</summary>
    public int MostDeliveries
    {
        get
        {
            lock (_lock)
            {
                return _entries.Max(entry => entry.DeliveryCount);
            }
        }
    }

    public IReadOnlyList<BusLetter> Letters
    {
        get
        {
            lock (_lock)
            {
                return [.. _letters];
            }
        }
    }

    /// <summary>Settlements in order, including failed ones.</summary>
    public IReadOnlyList<BusCall> Calls
    {
        get
        {
            lock (_lock)
            {
                return [.. _calls];
            }
        }
    }

    public IServiceBusPump OpenPump(ServiceBusSourceOptions options, PumpSettings settings)
    {
        if (OpenFault is { } fault)
        {
            throw new ServiceBusFaultException(fault);
        }

        FakePump pump = new(this, settings);
        Pumps.Add(pump);
        return pump;
    }

    public IServiceBusSender OpenSender(ServiceBusSourceOptions options)
    {
        FakeBusSender sender = new(this);
        Senders.Add(sender);
        return sender;
    }

    public void Publish(byte[] body, string? id = null, Dictionary<string, object>? properties = null)
    {
        lock (_lock)
        {
            _entries.Add(new BusEntry(++_numbers, Time.GetUtcNow(), id, body, properties ?? []));
        }

        Pulse();
    }

    /// <summary>Ends the lock of every message; messages in flight are redelivered.</summary>
    public void LoseLocks()
    {
        lock (_lock)
        {
            _entries.ForEach(entry => entry.LockedUntil = DateTimeOffset.MinValue);
        }

        Pulse();
    }

    /// <summary>Recreates the queue: empty, with sequence numbers from 1.</summary>
    public void Recreate()
    {
        lock (_lock)
        {
            _entries.Clear();
            _numbers = 0;
        }
    }

    /// <summary>Wakes receivers that wait for a message.</summary>
    public void Pulse() => Interlocked.Exchange(ref _changed, new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).TrySetResult();

    /// <summary>Waits for a message and locks it.</summary>
    public async Task<FakeLockedMessage> TakeAsync(CancellationToken stop, SemaphoreSlim? gate = null)
    {
        while (true)
        {
            stop.ThrowIfCancellationRequested();
            Task changed = Volatile.Read(ref _changed).Task;
            if (gate is not null)
            {
                Interlocked.Increment(ref _gatedReceives);
                await gate.WaitAsync(CancellationToken.None);
            }

            if (ReceiveFault is { } fault)
            {
                throw new ServiceBusFaultException(fault);
            }

            if (TryTake() is { } message)
            {
                return message;
            }

            Interlocked.Increment(ref _emptyReceives);
            await changed.WaitAsync(stop);
        }
    }

    public bool Renew(FakeLockedMessage message)
    {
        lock (_lock)
        {
            if (message.Entry.LockToken != message.LockToken || message.Entry.LockedUntil <= Time.GetUtcNow())
            {
                return false;
            }

            message.Entry.LockedUntil = Time.GetUtcNow() + LockDuration;
            return true;
        }
    }

    public async Task RenewAsync(FakeLockedMessage message)
    {
        await Task.Yield();
        if (RenewFault is { } fault)
        {
            throw new ServiceBusFaultException(fault);
        }

        if (!Renew(message))
        {
            throw new ServiceBusFaultException(new ServiceBusFault(ServiceBusFaultKind.LockLost, "The lock supplied is invalid."));
        }

        Interlocked.Increment(ref _renewals);
    }

    /// <summary>Unlocks a message that was not given to any call; such a delivery is not counted.</summary>
    public void Release(FakeLockedMessage message)
    {
        lock (_lock)
        {
            if (message.Entry.LockToken == message.LockToken)
            {
                message.Entry.LockedUntil = DateTimeOffset.MinValue;
                message.Entry.DeliveryCount--;
            }
        }

        Pulse();
    }

    public async Task SettleAsync(FakeLockedMessage message, string operation, BusLetter? letter, CancellationToken cancellationToken)
    {
        await Task.Yield();
        if (Gate is { } gate)
        {
            await gate.WaitAsync(cancellationToken);
        }

        BusCall call = new(operation, message.MessageId, message.DeliveryCount, [.. letter?.Properties.Keys ?? []]);
        lock (_lock)
        {
            _calls.Add(call);
            if (Script?.Invoke(call) is { } fault)
            {
                throw new ServiceBusFaultException(fault);
            }

            BusEntry entry = message.Entry;
            if (entry.LockToken != message.LockToken || entry.LockedUntil <= Time.GetUtcNow() || !_entries.Contains(entry))
            {
                throw new ServiceBusFaultException(new ServiceBusFault(ServiceBusFaultKind.LockLost, "The lock supplied is invalid."));
            }

            entry.LockedUntil = DateTimeOffset.MinValue;
            if (letter is not null)
            {
                _letters.Add(letter);
            }

            if (operation == "Abandon")
            {
                DeadLetterIfUsedUp(entry);
            }
            else
            {
                _entries.Remove(entry);
            }
        }

        Pulse();
    }

    private FakeLockedMessage? TryTake()
    {
        lock (_lock)
        {
            DateTimeOffset now = Time.GetUtcNow();
            _entries.FindAll(entry => entry.LockedUntil <= now).ForEach(DeadLetterIfUsedUp);
            if (_entries.Find(entry => entry.LockedUntil <= now) is not { } next)
            {
                return null;
            }

            next.DeliveryCount++;
            next.LockToken = Guid.NewGuid();
            next.LockedUntil = now + LockDuration;
            return new FakeLockedMessage(this, next);
        }
    }

    private void DeadLetterIfUsedUp(BusEntry entry)
    {
        if (entry.DeliveryCount >= MaxDeliveryCount)
        {
            _entries.Remove(entry);
            _letters.Add(new BusLetter(entry, "MaxDeliveryCountExceeded", string.Empty, new Dictionary<string, object>(StringComparer.Ordinal)));
        }
    }
}
