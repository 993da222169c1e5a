using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Threading.Tasks.Sources;

namespace Quayside.Messaging.Sources.InMemory;

/// <summary>
/// The messages that wait to be handed in, in the order in which they were added. Adding one costs one exchange: arrivals form a list
/// that the reader takes as a whole. Allocates nothing. Threads: any number add; one at a time reads.
/// </summary>
/// <typeparam name="T">The source's message.</typeparam>
internal sealed class ReadyMessages<T> : IValueTaskSource
    where T : InMemoryMessage
{
    private const int Awake = 0;
    private const int Asleep = 1;
    private const int Called = 2;

    private static readonly object Closed = new();

    // The newest arrival, which leads to the one before it; or Closed.
    private object? _arrived;

    // Arrivals at the time of closing.
    private object? _last;

    // The reader's own list, oldest first.
    private InMemoryMessage? _first;
    private InMemoryMessage? _end;

    // The reader continues on the pool, never on an adding thread.
    private ManualResetValueTaskSourceCore<bool> _call = new() { RunContinuationsAsynchronously = true };
    private int _reader;

    /// <summary>Messages that <see cref="Collect"/> found and that were not taken. Reader only.</summary>
    public int Count { get; private set; }

    /// <summary>True when it is closed and empty. Reader only.</summary>
    public bool HasEnded => Count == 0 && ReferenceEquals(Volatile.Read(ref _arrived), Closed) && Volatile.Read(ref _last) is null;

    /// <summary>Adds a message, which is in no other list.</summary>
    /// <returns>False after <see cref="Close"/>.</returns>
    public bool TryAdd(T message)
    {
        object? newest = Volatile.Read(ref _arrived);
        while (!ReferenceEquals(newest, Closed))
        {
            message.NextReady = Unsafe.As<InMemoryMessage?>(newest);
            object? found = Interlocked.CompareExchange(ref _arrived, message, newest);
            if (ReferenceEquals(found, newest))
            {
                if (newest is null)
                {
                    Call();
                }

                return true;
            }

            newest = found;
        }

        return false;
    }

    /// <summary>Refuses further messages; the reader still gets those that were added before.</summary>
    public void Close()
    {
        object? newest = Interlocked.Exchange(ref _arrived, Closed);
        if (newest is not null && !ReferenceEquals(newest, Closed))
        {
            Volatile.Write(ref _last, newest);
        }

        Call();
    }

    /// <summary>Ends the reader's current or next wait.</summary>
    public void Call()
    {
        if (Interlocked.Exchange(ref _reader, Called) == Asleep)
        {
            _call.SetResult(true);
        }
    }

    /// <summary>Waits until a message was added or the reader was called since the last wait. Reader only; await it before the next call.</summary>
    public ValueTask WaitAsync()
    {
        if (Interlocked.CompareExchange(ref _reader, Asleep, Awake) == Awake)
        {
            return new ValueTask(this, _call.Version);
        }

        WakeUp();
        return default;
    }

    /// <summary>Moves the arrivals to the reader's list. Reader only.</summary>
    /// <returns><see cref="Count"/>.</returns>
    public int Collect()
    {
        object? newest = Volatile.Read(ref _arrived);
        while (newest is not null && !ReferenceEquals(newest, Closed))
        {
            object? found = Interlocked.CompareExchange(ref _arrived, null, newest);
            if (ReferenceEquals(found, newest))
            {
                Append(newest);
                break;
            }

            newest = found;
        }

        if (Interlocked.Exchange(ref _last, null) is { } last)
        {
            Append(last);
        }

        return Count;
    }

    /// <summary>Takes the oldest collected message. Reader only.</summary>
    public bool TryTake([NotNullWhen(true)] out T? message)
    {
        message = Unsafe.As<T?>(_first);
        if (message is null)
        {
            return false;
        }

        _first = message.NextReady;
        message.NextReady = null;
        Count--;
        return true;
    }

    // The call that this forgets came after its message, which the reader collects next. An exchange, since a plain write could become
    // visible only after that, and then forget a later call.
    private void WakeUp() => Interlocked.Exchange(ref _reader, Awake);

    private void Append(object newest)
    {
        InMemoryMessage? end = Unsafe.As<InMemoryMessage>(newest);
        InMemoryMessage? oldest = null;
        for (InMemoryMessage? message = end; message is not null; Count++)
        {
            InMemoryMessage? older = message.NextReady;
            message.NextReady = oldest;
            oldest = message;
            message = older;
        }

        if (_first is null)
        {
            _first = oldest;
        }
        else
        {
            _end!.NextReady = oldest;
        }

        _end = end;
    }

    void IValueTaskSource.GetResult(short token)
    {
        _call.GetResult(token);
        _call.Reset();
        WakeUp();
    }

    ValueTaskSourceStatus IValueTaskSource.GetStatus(short token) => _call.GetStatus(token);

    void IValueTaskSource.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _call.OnCompleted(continuation, state, token, flags);
}
