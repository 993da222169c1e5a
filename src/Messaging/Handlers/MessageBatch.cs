using System.Collections;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Handlers;

/// <summary>
/// Messages that are handled together. A borrow that ends with the task of <see cref="IBatchHandler{T}.HandleAsync"/>: from then on
/// reading throws and settling has no effect. Threads: any number concurrently.
/// </summary>
/// <typeparam name="T">What bodies were read into.</typeparam>
public sealed class MessageBatch<T> : IReadOnlyList<T>
{
    private readonly Lock _gate = new();
    private readonly HandlerReports? _reports;

    // Later batches reuse the array, so this object drops it when the batch ends.
    private BatchEntry<T>[]? _entries;

    /// <summary>Makes a batch without a worker: for tests of a handler, which then read <see cref="SettlementOf"/>.</summary>
    /// <param name="messages">The messages.</param>
    /// <param name="infos">What else is known about each; null when the handler does not use it.</param>
    /// <exception cref="ArgumentException">The number of infos is not the number of messages.</exception>
    public MessageBatch(IReadOnlyList<T> messages, IReadOnlyList<MessageInfo>? infos = null)
    {
        ArgumentNullException.ThrowIfNull(messages);
        if (infos is not null && infos.Count != messages.Count)
        {
            throw new ArgumentException($"There are {messages.Count} messages and {infos.Count} infos; pass one for each message, or null.", nameof(infos));
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

    /// <summary>The message at an index, in the order of arrival; never null.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The index is out of range.</exception>
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

    /// <summary>What else is known about a message.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The index is out of range.</exception>
    /// <exception cref="InvalidOperationException">The batch has ended.</exception>
    public MessageInfo InfoOf(int index)
    {
        lock (_gate)
        {
            return Entry(index).Info;
        }
    }

    /// <summary>The settlement of a message so far; undecided until it is settled.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The index is out of range.</exception>
    /// <exception cref="InvalidOperationException">The batch has ended.</exception>
    public Settlement SettlementOf(int index)
    {
        lock (_gate)
        {
            return Entry(index).Settlement;
        }
    }

    /// <summary>Settles one message. The first settlement holds; it is carried out when the handler's task completes.</summary>
    /// <param name="index">The message's index.</param>
    /// <param name="settlement">The settlement.</param>
    /// <returns>
    /// False when it has no effect, which is also logged: the message was settled before, the batch has ended, or the settlement is
    /// an undecided <c>default</c>. This does not throw, since the rest of the batch would then be abandoned.
    /// </returns>
    /// <exception cref="ArgumentOutOfRangeException">The index is out of range.</exception>
    public bool Settle(int index, Settlement settlement)
    {
        CheckIndex(index);
        string? misuse;
        lock (_gate)
        {
            misuse = FindMisuse(settlement) ?? (_entries![index].Settlement.IsDecided ? "twice; the first settlement holds" : null);
            if (misuse is null)
            {
                _entries![index].Settlement = settlement;
                return true;
            }
        }

        _reports?.Misused(misuse, index);
        return false;
    }

    /// <summary>
    /// Settles every message that is not settled yet, often with <see cref="Settlement.Complete"/> after the failed ones were settled one by one.
    /// </summary>
    /// <returns>The number of messages settled; 0, and a line in the log, when the batch has ended or the settlement is undecided.</returns>
    public int SettleRest(Settlement settlement)
    {
        int settled = 0;
        string? misuse;
        lock (_gate)
        {
            misuse = FindMisuse(settlement);
            for (int i = 0; misuse is null && i < Count; i++)
            {
                ref BatchEntry<T> entry = ref _entries![i];
                if (!entry.Settlement.IsDecided)
                {
                    entry.Settlement = settlement;
                    settled++;
                }
            }
        }

        if (misuse is not null)
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

    /// <summary>Adds a message. Called before the handler, under the collector's lock.</summary>
    internal void Add(in BatchEntry<T> entry) => _entries![Count++] = entry;

    /// <summary>The waiters of the messages. Called before the handler.</summary>
    internal BatchWaiter<T>[] Waiters() => [.. _entries!.Take(Count).Select(entry => entry.Waiter!)];

    /// <summary>Removes a message that no longer waits. Called before the handler, under the collector's lock.</summary>
    internal void Remove(BatchWaiter<T> waiter)
    {
        int index = Array.FindIndex(_entries!, 0, Count, entry => ReferenceEquals(entry.Waiter, waiter));
        Count--;
        Array.Copy(_entries!, index + 1, _entries!, index, Count - index);
        _entries![Count] = default;
    }

    /// <summary>A settlement that reports a fault outside its message, refused before transient; undecided when there is none.</summary>
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
    /// <returns>The messages and their settlements; the caller owns the array from then on.</returns>
    internal BatchEntry<T>[] End()
    {
        lock (_gate)
        {
            BatchEntry<T>[] entries = _entries!;
            _entries = null;
            return entries;
        }
    }

    // Why a settlement has no effect; null when it may have one.
    private string? FindMisuse(in Settlement settlement) =>
        _entries is null ? "after the batch had ended; the message was abandoned unless it was settled before"
        : settlement.IsDecided ? null
        : "with default(Settlement), which decides nothing";

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
