using System.Diagnostics;
using Benchmarks.EndToEnd.Clients;

namespace Benchmarks.EndToEnd.Server;

/// <summary>
/// One queue with SQS's rules: a received message stays hidden until its timeout, a delete needs the newest handle, a message that is not
/// deleted is redelivered. Filled with whole generations of messages. Threads: one at a time, under the server's lock.
/// </summary>
internal sealed class MessageQueue
{
    private readonly Queue<int> _visible = new();
    private readonly PriorityQueue<int, long> _hidden = new();
    private readonly Queue<TaskCompletionSource> _waiting = new();
    private MessageState[] _messages = [];
    private long _firstHandedOut;
    private long _lastDeleted;
    private int _deleted;
    private int _stored;
    private int _wrong;
    private int _redelivered;
    private int _receives;
    private int _emptyReceives;
    private int _deleteCalls;

    public MessageQueue(string name)
    {
        Name = name;
        Envelope = name.StartsWith(nameof(ClientKind.WorkerSns), StringComparison.Ordinal) ? MessageEnvelope.Sns
            : name.StartsWith(nameof(ClientKind.WorkerGzip), StringComparison.Ordinal) ? MessageEnvelope.Gzip
            : MessageEnvelope.None;
    }

    public string Name { get; }

    /// <summary>What is around its messages: what its client expects.</summary>
    public MessageEnvelope Envelope { get; }

    public int Generation { get; private set; }

    public int Count => _messages.Length;

    /// <summary>Adds new messages; the earlier ones must have been deleted.</summary>
    public void Fill(int generation, int count)
    {
        if (_deleted != _messages.Length)
        {
            throw new InvalidOperationException($"Queue {Name} still holds messages.");
        }

        Generation = generation;
        _messages = new MessageState[count];
        _visible.Clear();
        _hidden.Clear();
        _firstHandedOut = 0;
        _lastDeleted = 0;
        _deleted = 0;
        _stored = 0;
        _wrong = 0;
        _redelivered = 0;
        _receives = 0;
        _emptyReceives = 0;
        _deleteCalls = 0;
        for (int i = 0; i < count; i++)
        {
            _messages[i].Md5 = MessageBody.Md5(generation, i);
            _visible.Enqueue(i);
        }

        while (_waiting.TryDequeue(out TaskCompletionSource? waiting))
        {
            waiting.TrySetResult();
        }
    }

    /// <summary>Takes up to <paramref name="indexes"/> messages and hides them.</summary>
    /// <returns>The number of messages taken.</returns>
    public int Receive(Span<int> indexes, int visibilitySeconds)
    {
        long now = Stopwatch.GetTimestamp();
        while (_hidden.TryPeek(out int due, out long at) && at <= now)
        {
            _hidden.Dequeue();
            if (!_messages[due].IsDeleted && _messages[due].HiddenUntil == at)
            {
                _visible.Enqueue(due);
            }
        }

        int count = 0;
        while (count < indexes.Length && _visible.TryDequeue(out int index))
        {
            ref MessageState message = ref _messages[index];
            if (message.IsDeleted)
            {
                continue;
            }

            _redelivered += message.ReceiveCount > 0 ? 1 : 0;
            message.ReceiveCount++;
            message.HandedOutAt = now;
            message.HiddenUntil = now + (visibilitySeconds * Stopwatch.Frequency);
            _hidden.Enqueue(index, message.HiddenUntil);
            indexes[count++] = index;
        }

        _receives++;
        _emptyReceives += count == 0 ? 1 : 0;
        if (_firstHandedOut == 0 && count > 0)
        {
            _firstHandedOut = now;
        }

        return count;
    }

    /// <summary>Completes with the next fill, or when the limit has passed.</summary>
    public Task WaitAsync(TimeSpan limit)
    {
        TaskCompletionSource waiting = new(TaskCreationOptions.RunContinuationsAsynchronously);
        _waiting.Enqueue(waiting);
        return waiting.Task.WaitAsync(limit).ContinueWith(static _ => { }, TaskScheduler.Default);
    }

    public ref readonly MessageState this[int index] => ref _messages[index];

    public void CountDeleteCall() => _deleteCalls++;

    /// <returns>False for a handle that belongs to no message. An outdated handle succeeds and deletes nothing, as in SQS.</returns>
    public bool Delete(int generation, int index, int receiveCount)
    {
        if (generation != Generation || (uint)index >= (uint)_messages.Length)
        {
            return generation < Generation;
        }

        ref MessageState message = ref _messages[index];
        if (!message.IsDeleted && message.ReceiveCount == receiveCount)
        {
            message.IsDeleted = true;
            _lastDeleted = Stopwatch.GetTimestamp();
            message.DeletedAt = _lastDeleted;
            _deleted++;
        }

        return true;
    }

    public bool Hide(int generation, int index, int receiveCount, int seconds)
    {
        if (generation != Generation || (uint)index >= (uint)_messages.Length || _messages[index].ReceiveCount != receiveCount || _messages[index].IsDeleted)
        {
            return false;
        }

        ref MessageState message = ref _messages[index];
        message.HiddenUntil = Stopwatch.GetTimestamp() + (seconds * Stopwatch.Frequency);
        _hidden.Enqueue(index, message.HiddenUntil);
        return true;
    }

    /// <summary>Checks whether the object that arrived under the message's id is the message.</summary>
    public void Stored(int index, UInt128 md5)
    {
        if ((uint)index >= (uint)_messages.Length || _messages[index].Md5 != md5 || _messages[index].IsDeleted)
        {
            // Deleted before it was stored: the client could have lost the message.
            _wrong++;
            return;
        }

        if (!_messages[index].IsStored)
        {
            _messages[index].IsStored = true;
            _stored++;
        }
    }

    public QueueTotals Totals()
    {
        bool isOver = _messages.Length > 0 && _deleted == _messages.Length;
        double[] latencies = [];
        if (isOver)
        {
            latencies = [.. _messages.Select(message => Stopwatch.GetElapsedTime(message.HandedOutAt, message.DeletedAt).TotalMilliseconds)];
            Array.Sort(latencies);
        }

        return new QueueTotals(
            _messages.Length,
            _deleted,
            _stored,
            _wrong,
            _redelivered,
            _receives,
            _emptyReceives,
            _deleteCalls,
            isOver ? Stopwatch.GetElapsedTime(_firstHandedOut, _lastDeleted).TotalSeconds : 0,
            Percentile(latencies, 0.50),
            Percentile(latencies, 0.99));
    }

    private static double Percentile(double[] sorted, double share) =>
        sorted.Length == 0 ? 0 : sorted[(int)Math.Min(sorted.Length - 1, Math.Ceiling(share * sorted.Length) - 1)];
}
