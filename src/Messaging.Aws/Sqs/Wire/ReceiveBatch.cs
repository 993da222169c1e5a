using Pipeline.Buffers;

namespace Messaging.Aws.Sqs.Wire;

/// <summary>
/// The up to 10 messages of one receive call and the buffer they share. Ownership: the client hands it out; each message is
/// released once, in any order, on any thread; the last release gives the buffer and this object back to their pools, after
/// which neither it nor its messages may be touched. A release that comes late or twice is recognised and does nothing.
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

    /// <summary>Entries of the response that could not be used: no body, handle or id, or more than were asked for. The queue redelivers them.</summary>
    public int Unusable { get; private set; }

    /// <summary>One message; copy it where it has to outlive the caller's loop.</summary>
    public ref readonly SqsMessage this[int index] => ref _messages.AsSpan(0, _count)[index];

    /// <summary>Releases what was not released yet.</summary>
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
    /// Reads a response and takes its buffer over. On any exception the buffer stays with the caller and this object is as before.
    /// </summary>
    /// <exception cref="System.Text.Json.JsonException">The response is no receive response.</exception>
    internal void Open(PooledBuffer response, int maxMessages, bool verifyMd5)
    {
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
