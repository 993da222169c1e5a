using Pipeline.Buffers;

namespace Messaging.Aws.Sqs.Wire;

/// <summary>
/// Up to 10 messages of one receive call and the buffer they share. Ownership: the client lends it; each message is released once, in any
/// order, on any thread. The last release returns the buffer and this object to their pools; afterwards neither it nor its messages may
/// be used. A late or second release does nothing.
/// </summary>
internal sealed class ReceiveBatch
{
    /// <summary>No message, no buffer: nothing to release.</summary>
    public static readonly ReceiveBatch Empty = new(pool: null);

    private readonly BoundedPool<ReceiveBatch>? _pool;
    private readonly SqsMessage[] _messages = new SqsMessage[SqsLimits.BatchEntries];
    private PooledBuffer? _buffer;
    private int _count;

    // High half: how often this object was opened. Low half: one bit for each message not yet released.
    private long _state;

    public ReceiveBatch(BoundedPool<ReceiveBatch>? pool) => _pool = pool;

    /// <summary>Messages received.</summary>
    public int Count => _count;

    /// <summary>Entries of the response that cannot be used: without a body, handle or id, or more than requested. The queue redelivers them.</summary>
    public int Unusable { get; private set; }

    /// <summary>The time that the answer took to arrive: so long the messages are hidden already.</summary>
    public TimeSpan Took { get; private set; }

    /// <summary>One message; copy it if it must outlive the caller's loop.</summary>
    public ref readonly SqsMessage this[int index] => ref _messages.AsSpan(0, _count)[index];

    /// <summary>Releases all messages that are not released yet.</summary>
    public void ReleaseAll()
    {
        int generation = GenerationOf(Volatile.Read(ref _state));
        for (int i = 0; i < SqsLimits.BatchEntries; i++)
        {
            Release(i, generation);
        }
    }

    internal bool Release(int index, int generation)
    {
        long bit = 1L << index;
        long state = Volatile.Read(ref _state);
        while (true)
        {
            if (GenerationOf(state) != generation || (state & bit) == 0)
            {
                return false;
            }

            long seen = Interlocked.CompareExchange(ref _state, state & ~bit, state);
            if (seen == state)
            {
                break;
            }

            state = seen;
        }

        if ((uint)(state & ~bit) == 0)
        {
            Reset();
            _pool?.Return(this);
        }

        return true;
    }

    /// <summary>
    /// Reads a response and takes ownership of its buffer. On an exception the caller keeps the buffer, and this object is unchanged.
    /// </summary>
    /// <exception cref="System.Text.Json.JsonException">The response is not a receive response.</exception>
    internal void Open(PooledBuffer response, int maxMessages, bool verifyMd5, TimeSpan took)
    {
        Took = took;
        int generation = GenerationOf(_state) + 1;
        try
        {
            ReceiveResponseReader reader = new(this, generation, response, verifyMd5);
            _count = reader.Read(_messages.AsSpan(0, maxMessages));
            Unusable = reader.Unusable;
        }
        catch
        {
            Array.Clear(_messages);
            throw;
        }

        if (_count == 0)
        {
            response.Dispose();
            return;
        }

        _buffer = response;
        Volatile.Write(ref _state, ((long)generation << 32) | ((1L << _count) - 1));
    }

    private static int GenerationOf(long state) => (int)(state >> 32);

    private void Reset()
    {
        _buffer?.Dispose();
        _buffer = null;
        Array.Clear(_messages, 0, _count);
        _count = 0;
        Unusable = 0;
    }
}
