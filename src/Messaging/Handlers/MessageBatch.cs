using System.Collections;
using Messaging.Handlers.Batches;
using Pipeline.Settlements;

namespace Messaging.Handlers;

/// <summary>
/// Messages that are handled together. A borrow that ends with the task of <see cref="IBatchHandler{T}.HandleAsync"/>: from then on
/// reading throws and settling has no effect. Threads: any number at once.
/// </summary>
/// <typeparam name="T">What bodies were read into.</typeparam>
public sealed class MessageBatch<T> : IReadOnlyList<T>
{
    private readonly Lock _gate = new();
    private readonly HandlerReports? _reports;

    // Reused by later batches, so this object lets go of it when it ends.
    private BatchEntry<T>[]? _entries;

    /// <summary>Makes a batch without a worker: for tests of a handler, which then read <see cref="SettlementOf"/>.</summary>
    /// <param name="messages">The messages.</param>
    /// <param name="infos">What else is known of each; null where the handler does not ask.</param>
    /// <exception cref="ArgumentException">There are infos, but not one for each message.</exception>
    public MessageBatch(IReadOnlyList<T> messages, IReadOnlyList<MessageInfo>? infos = null)
    {
        ArgumentNullException.ThrowIfNull(messages);
        if (infos is not null && infos.Count != messages.Count)
        {
            throw new ArgumentException($"There are {messages.Count} messages and {infos.Count} infos; give one for each message, or null.", nameof(infos));
        }

        _entries = [.. messages.Select((message, index) => new BatchEntry<T> { Message = message, Info = infos?[index] ?? default })];
        Count = messages.Count;
    }

    internal MessageBatch(BatchEntry<T>[] entries, HandlerReports reports)
    {
        _entries = entries;
        _reports = reports;
    }

    /// <summary>The number of messages, at least 1; stays readable.</summary>
    public int Count { get; private set; }

    /// <summary>The message at a place from 0, in the order of arrival; never null.</summary>
    /// <exception cref="ArgumentOutOfRangeException">There is no such place.</exception>
    /// <exception cref="InvalidOperationException">The batch has ended.</exception>
    public T this[int index]
    {
        get
        {
            lock (_gate)
            {
                return Entry(index).Message;
            }
        }
    }

    /// <summary>What else is known of a message.</summary>
    /// <exception cref="ArgumentOutOfRangeException">There is no such place.</exception>
    /// <exception cref="InvalidOperationException">The batch has ended.</exception>
    public MessageInfo InfoOf(int index)
    {
        lock (_gate)
        {
            return Entry(index).Info;
        }
    }

    /// <summary>What was decided about a message so far; undecided where nothing was.</summary>
    /// <exception cref="ArgumentOutOfRangeException">There is no such place.</exception>
    /// <exception cref="InvalidOperationException">The batch has ended.</exception>
    public Settlement SettlementOf(int index)
    {
        lock (_gate)
        {
            return Entry(index).Settlement;
        }
    }

    /// <summary>Decides what becomes of one message. The first decision holds; it is carried out when the handler's task ends.</summary>
    /// <param name="index">The message's place.</param>
    /// <param name="settlement">The decision.</param>
    /// <returns>
    /// False where that has no effect, which is also logged: the message was settled before, the batch has ended, or the settlement is
    /// an undecided <c>default</c>. No reason to throw: the rest of the batch would be abandoned for it.
    /// </returns>
    /// <exception cref="ArgumentOutOfRangeException">There is no such place.</exception>
    public bool Settle(int index, Settlement settlement)
    {
        CheckIndex(index);
        BatchMisuse misuse;
        lock (_gate)
        {
            misuse = _entries is null ? BatchMisuse.Late
                : !settlement.IsDecided ? BatchMisuse.Undecided
                : _entries[index].Settlement.IsDecided ? BatchMisuse.Twice
                : BatchMisuse.None;
            if (misuse == BatchMisuse.None)
            {
                _entries![index].Settlement = settlement;
                return true;
            }
        }

        _reports?.Misused(misuse, index);
        return false;
    }

    /// <summary>Decides what becomes of every message that is not settled yet: often <see cref="Settlement.Complete"/>, after those that failed were settled one by one.</summary>
    /// <returns>How many that were; 0, and a line in the log, where the batch has ended or the settlement is undecided.</returns>
    public int SettleRest(Settlement settlement)
    {
        int settled = 0;
        BatchMisuse misuse;
        lock (_gate)
        {
            misuse = _entries is null ? BatchMisuse.Late : !settlement.IsDecided ? BatchMisuse.Undecided : BatchMisuse.None;
            for (int i = 0; misuse == BatchMisuse.None && i < Count; i++)
            {
                ref BatchEntry<T> entry = ref _entries![i];
                if (!entry.Settlement.IsDecided)
                {
                    entry.Settlement = settlement;
                    settled++;
                }
            }
        }

        if (misuse != BatchMisuse.None)
        {
            _reports?.Misused(misuse, 0);
        }

        return settled;
    }

    /// <summary>The messages in the order of arrival.</summary>
    public IEnumerator<T> GetEnumerator()
    {
        for (int i = 0; i < Count; i++)
        {
            yield return this[i];
        }
    }

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    /// <summary>Adds a message. Before the handler is called, under the collector's lock.</summary>
    internal void Add(in BatchEntry<T> entry) => _entries![Count++] = entry;

    /// <summary>The places of the messages in their route. Before the handler is called.</summary>
    internal BatchWaiter<T>[] Waiters() => [.. _entries!.Take(Count).Select(entry => entry.Waiter!)];

    /// <summary>Removes a message that waits no longer. Before the handler is called, under the collector's lock.</summary>
    internal void Remove(BatchWaiter<T> waiter)
    {
        int index = Array.FindIndex(_entries!, 0, Count, entry => ReferenceEquals(entry.Waiter, waiter));
        Count--;
        Array.Copy(_entries!, index + 1, _entries!, index, Count - index);
        _entries![Count] = default;
    }

    /// <summary>A settlement that names a fault outside its message, a refusal before a transient one; undecided where there is none.</summary>
    internal Settlement FindFault()
    {
        Settlement worst = default;
        lock (_gate)
        {
            for (int i = 0; i < Count; i++)
            {
                worst = _entries![i].Settlement.Fault > worst.Fault ? _entries[i].Settlement : worst;
            }
        }

        return worst;
    }

    /// <summary>Ends the borrow.</summary>
    /// <returns>The messages with what was decided about them; the caller's from here on.</returns>
    internal BatchEntry<T>[] End()
    {
        lock (_gate)
        {
            BatchEntry<T>[] entries = _entries!;
            _entries = null;
            return entries;
        }
    }

    private ref BatchEntry<T> Entry(int index)
    {
        CheckIndex(index);
        if (_entries is null)
        {
            throw new InvalidOperationException("The batch has ended, and its messages were settled: read what is needed before the handler returns.");
        }

        return ref _entries[index];
    }

    private void CheckIndex(int index)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(index);
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(index, Count);
    }
}
