using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using Azure.Messaging.ServiceBus;
using Quayside.Messaging.AzureServiceBus;
using Shared.ServiceBus;

namespace Messaging.Tests.AzureServiceBus;

/// <summary>
/// A queue that behaves like the broker: expiring locks, delivery counts, a dead-letter queue after the maximum of deliveries, settling
/// that fails under another lock, and failures on demand. A waiting receive gets the next message until its link is closed. Threads: any.
/// </summary>
internal sealed class FakeBus : IFakeBroker
{
    public static readonly TimeSpan LockDuration = TimeSpan.FromMinutes(1);

    private readonly Lock _lock = new();
    private readonly List<BusEntry> _entries = [];
    private readonly List<BusLetter> _letters = [];
    private readonly List<BusCall> _calls = [];
    private readonly List<(FakeReceiver Link, TaskCompletionSource<ServiceBusReceivedMessage?> Receive)> _waiting = [];
    private readonly List<FakeReceiver> _links = [];
    private readonly Dictionary<Guid, (BusEntry Entry, int Delivery)> _delivered = [];
    private readonly HashSet<Guid> _dead = [];
    private readonly HashSet<FakeReceiver> _deadLinks = [];
    private readonly ITimer _expiry;
    private long _numbers;
    private int _renewals;
    private int _handedOut;
    private int _peeks;

    public FakeBus(TimeProvider time)
    {
        Time = time;
        _expiry = time.CreateTimer(_ => Expire(), state: null, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    public TimeProvider Time { get; }

    public int MaxDeliveryCount { get; set; } = 10;

    /// <summary>The failure of a settlement; null lets it succeed.</summary>
    public Func<BusCall, Exception?>? Script { get; set; }

    /// <summary>While set, settlements and the peek wait for it.</summary>
    public Task? Gate { get; set; }

    /// <summary>While set, no receiver is created.</summary>
    public Exception? LinkFault { get; set; }

    /// <summary>While set, no message is received and receives fail with it.</summary>
    public Exception? ReceiveFault { get; set; }

    /// <summary>While set, locks are not renewed.</summary>
    public Exception? RenewFault { get; set; }

    /// <summary>While set, the close of a link, and of a client, waits for it.</summary>
    public Task? CloseGate { get; set; }

    /// <summary>While set, neither the close of a link nor a cancellation ends the receives that wait, as without a connection.</summary>
    public bool HoldsReceives { get; set; }

    /// <summary>The next close of a link throws it, after the link is closed.</summary>
    public Exception? CloseFault { get; set; }

    /// <summary>The failure of the peek, and of the creation of batches.</summary>
    public Exception? CheckFault { get; set; }

    public Exception? SendFault { get; set; }

    /// <summary>While set, messages have no enqueued time, as those of a broker that only resembles Service Bus.</summary>
    public bool HasNoTimes { get; set; }

    /// <summary>The maximum number of bytes in a batch.</summary>
    public int BatchBytes { get; set; } = 256 << 10;

    public ConcurrentQueue<FakeBusClient> Clients { get; } = [];

    public ConcurrentQueue<FakeProcessor> Processors { get; } = [];

    public ConcurrentQueue<FakeSender> Senders { get; } = [];

    /// <summary>Lock renewals that succeeded.</summary>
    public int Renewals => Volatile.Read(ref _renewals);

    /// <summary>Peeks that began.</summary>
    public int Peeks => Volatile.Read(ref _peeks);

    /// <summary>Messages that were handed out and have come to the first wait of their call, or are settled.</summary>
    public int HandedOut => Volatile.Read(ref _handedOut);

    /// <summary>Receivers that have received, in the order of their first receives.</summary>
    public IReadOnlyList<FakeReceiver> Links => Read(() => _links.ToArray());

    /// <summary>Receives that wait for a message.</summary>
    public int Waiting => Read(() => _waiting.Count);

    /// <summary>Messages in the queue, including locked ones.</summary>
    public int Count => Read(() => _entries.Count);

    /// <summary>Messages delivered but not settled.</summary>
    public int Locked => Read(() => _entries.Count(entry => entry.LockedUntil > Time.GetUtcNow()));

    /// <summary>The highest delivery count of the messages in the queue.</summary>
    public int MaxDeliveries => Read(() => _entries.Max(entry => entry.DeliveryCount));

    public IReadOnlyList<BusLetter> Letters => Read(() => _letters.ToArray());

    /// <summary>Settlements in order, including failed ones, without those of checks.</summary>
    public IReadOnlyList<BusCall> Calls => Read(() => _calls.ToArray());

    /// <summary>A client of this queue, as <see cref="ServiceBusSourceOptions.CreateClient"/> creates them.</summary>
    public ServiceBusClient CreateClient(ServiceBusSourceOptions options, ServiceBusRetryOptions? retries)
    {
        FakeBusClient client = new(this, retries);
        Clients.Enqueue(client);
        return client;
    }

    public void Publish(byte[] body, string? id = null, IReadOnlyDictionary<string, object>? properties = null, string? session = null, string? subject = null)
    {
        lock (_lock)
        {
            _entries.Add(
                new BusEntry(
                    ++_numbers, Time.GetUtcNow(), id, body,
                    new Dictionary<string, object>(properties ?? new Dictionary<string, object>(), StringComparer.Ordinal))
                { Session = session, Subject = subject });
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

    /// <summary>
    /// Cuts off every link, as the death of its process does: its receives, renewals and settlements are never answered, and its locks end by themselves.
    /// </summary>
    public void Kill()
    {
        lock (_lock)
        {
            _dead.UnionWith(_delivered.Keys);

            // On a busy machine a call may receive for the first time after this, and would take a message of the next process.
            _deadLinks.UnionWith(Clients.SelectMany(client => client.Receivers));
            _waiting.Clear();
        }
    }

    /// <summary>Ends all receives that wait, without a message, as the client does by its own clock.</summary>
    public void EndReceives()
    {
        (FakeReceiver, TaskCompletionSource<ServiceBusReceivedMessage?> Receive)[] ended;
        lock (_lock)
        {
            ended = [.. _waiting];
            _waiting.Clear();
        }

        Array.ForEach(ended, static waiting => waiting.Receive.TrySetResult(null));
    }

    /// <summary>Lets receives that wait have a message, or fail.</summary>
    public void Pulse() => _ = Task.Run(Deliver);

    public async Task<ServiceBusReceivedMessage?> ReceiveAsync(FakeReceiver link, CancellationToken cancellationToken)
    {
        // Its continuation runs inline, so that HandedOut tells how far the call has come.
        TaskCompletionSource<ServiceBusReceivedMessage?> receive = new();
        lock (_lock)
        {
            if (!_links.Contains(link))
            {
                _links.Add(link);
            }

            if (!_deadLinks.Contains(link))
            {
                _waiting.Add((link, receive));
            }
        }

        await using CancellationTokenRegistration cancelled = cancellationToken.Register(() =>
        {
            if (!HoldsReceives && TryRemove(receive))
            {
                receive.SetCanceled(cancellationToken);
            }
        });
        Pulse();
        return await receive.Task;
    }

    public async Task PeekAsync(CancellationToken cancellationToken)
    {
        Interlocked.Increment(ref _peeks);
        if (Gate is { } gate)
        {
            await gate.WaitAsync(cancellationToken);
        }

        if (CheckFault is { } fault)
        {
            throw fault;
        }
    }

    public Task<DateTimeOffset> RenewAsync(Guid lockToken, CancellationToken cancellationToken)
    {
        if (RenewFault is { } fault)
        {
            return Task.FromException<DateTimeOffset>(fault);
        }

        lock (_lock)
        {
            if (_dead.Contains(lockToken))
            {
                return new TaskCompletionSource<DateTimeOffset>().Task;
            }

            if (!TryFind(lockToken, out BusEntry? entry))
            {
                return Task.FromException<DateTimeOffset>(LockLost());
            }

            Interlocked.Increment(ref _renewals);
            entry.LockedUntil = Time.GetUtcNow() + LockDuration;
            return Task.FromResult(entry.LockedUntil);
        }
    }

    public async Task SettleAsync(Guid lockToken, FakeSettlement settlement, CancellationToken cancellationToken)
    {
        await Task.Yield();
        if (Delivered(lockToken) is not { } delivered)
        {
            throw LockLost();
        }

        if (Gate is { } gate)
        {
            await gate.WaitAsync(cancellationToken);
        }

        if (Read(() => _dead.Contains(lockToken)))
        {
            await new TaskCompletionSource().Task;
        }

        BusCall call = new(settlement.Operation, delivered.Entry.Id, delivered.Delivery, [.. settlement.Properties.Keys]);
        lock (_lock)
        {
            _calls.Add(call);
            if (Script?.Invoke(call) is { } fault)
            {
                throw fault;
            }

            if (!TryFind(lockToken, out BusEntry? entry))
            {
                throw LockLost();
            }

            entry.LockedUntil = DateTimeOffset.MinValue;
            if (settlement.Operation == "DeadLetter")
            {
                _letters.Add(new BusLetter(entry, settlement.Reason, settlement.Description, settlement.Properties));
            }

            if (settlement.Operation == "Abandon")
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

    public async Task CloseAsync(FakeReceiver link, CancellationToken cancellationToken)
    {
        if (CloseGate is { } gate && Links.Contains(link))
        {
            await gate.WaitAsync(cancellationToken);
        }

        while (!HoldsReceives && NextWaiting(link) is { } receive)
        {
            receive.TrySetResult(null);
        }

        if (Links.Contains(link) && CloseFault is { } fault)
        {
            CloseFault = null;
            throw fault;
        }
    }

    private void Expire()
    {
        lock (_lock)
        {
            if (!_entries.Exists(entry => entry.LockedUntil > Time.GetUtcNow()))
            {
                _expiry.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
            }
        }

        Pulse();
    }

    private void Deliver()
    {
        while (TryNext(out TaskCompletionSource<ServiceBusReceivedMessage?>? receive, out ServiceBusReceivedMessage? message, out Exception? fault))
        {
            if (fault is not null)
            {
                receive.SetException(fault);
                continue;
            }

            receive.SetResult(message);
            Interlocked.Increment(ref _handedOut);
        }
    }

    private bool TryNext(
        [NotNullWhen(true)] out TaskCompletionSource<ServiceBusReceivedMessage?>? receive, out ServiceBusReceivedMessage? message, out Exception? fault)
    {
        lock (_lock)
        {
            (receive, message, fault) = (null, null, ReceiveFault);
            DateTimeOffset now = Time.GetUtcNow();
            _entries.FindAll(entry => entry.LockedUntil <= now).ForEach(DeadLetterIfUsedUp);
            if (_waiting.Count == 0 || (fault is null && !_entries.Exists(entry => entry.LockedUntil <= now)))
            {
                return false;
            }

            receive = _waiting[0].Receive;
            _waiting.RemoveAt(0);
            message = fault is null ? Lock(_entries.Find(entry => entry.LockedUntil <= now)!) : null;
            return true;
        }
    }

    private ServiceBusReceivedMessage Lock(BusEntry entry)
    {
        _expiry.Change(TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(1));
        entry.LockedUntil = Time.GetUtcNow() + LockDuration;
        entry.LockToken = Guid.NewGuid();
        _delivered.Add(entry.LockToken, (entry, ++entry.DeliveryCount));
        return ServiceBusModelFactory.ServiceBusReceivedMessage(
            body: new BinaryData(entry.Body),
            messageId: entry.Id,
            sessionId: entry.Session,
            subject: entry.Subject,
            properties: entry.Properties,
            lockTokenGuid: entry.LockToken,
            deliveryCount: entry.DeliveryCount,
            lockedUntil: entry.LockedUntil,
            sequenceNumber: entry.Number,
            enqueuedTime: HasNoTimes ? default : entry.EnqueuedAt);
    }

    private TaskCompletionSource<ServiceBusReceivedMessage?>? NextWaiting(FakeReceiver link)
    {
        lock (_lock)
        {
            int next = _waiting.FindIndex(waiting => waiting.Link == link);
            if (next < 0)
            {
                return null;
            }

            TaskCompletionSource<ServiceBusReceivedMessage?> receive = _waiting[next].Receive;
            _waiting.RemoveAt(next);
            return receive;
        }
    }

    private bool TryRemove(TaskCompletionSource<ServiceBusReceivedMessage?> receive)
    {
        lock (_lock)
        {
            return _waiting.RemoveAll(waiting => waiting.Receive == receive) > 0;
        }
    }

    /// <summary>The message of a lock, which may have ended; null for a lock that never was.</summary>
    private (BusEntry Entry, int Delivery)? Delivered(Guid lockToken) =>
        Read<(BusEntry, int)?>(() => _delivered.TryGetValue(lockToken, out (BusEntry, int) delivered) ? delivered : null);

    private bool TryFind(Guid lockToken, [NotNullWhen(true)] out BusEntry? entry)
    {
        entry = _entries.Find(entry => entry.LockToken == lockToken && entry.LockedUntil > Time.GetUtcNow());
        return entry is not null;
    }

    private void DeadLetterIfUsedUp(BusEntry entry)
    {
        if (entry.DeliveryCount >= MaxDeliveryCount)
        {
            _entries.Remove(entry);
            _letters.Add(new BusLetter(entry, "MaxDeliveryCountExceeded", string.Empty, new Dictionary<string, object>(StringComparer.Ordinal)));
        }
    }

    private T Read<T>(Func<T> read)
    {
        lock (_lock)
        {
            return read();
        }
    }

    private static Exception LockLost() => BusFaults.Of(ServiceBusFaultKind.LockLost, "The lock supplied is invalid.");
}
