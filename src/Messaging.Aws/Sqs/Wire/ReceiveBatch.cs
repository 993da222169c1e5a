using Quayside.Pipeline.Buffers;

namespace Quayside.Messaging.Aws.Sqs.Wire;

/// <summary>
/// The response that the messages of one receive share. Ownership: each message releases it once, in any order, on any thread. The last
/// release returns the buffer and this object to their pools.
/// </summary>
internal sealed class ReceiveBatch(BoundedPool<ReceiveBatch>? pool)
{
    private PooledBuffer? _response;
    private int _unreleased;

    /// <summary>
    /// Reads a response into messages, which then own it. Without a message it is returned to the pools immediately. On an exception the
    /// caller keeps the response, and the messages are clean.
    /// </summary>
    /// <param name="response">The response.</param>
    /// <param name="messages">Clean objects, as many as were requested; the first ones are filled.</param>
    /// <returns>The number of messages, and of entries that cannot be used: without a body, handle or id, or more than requested. The queue redelivers
    /// them.</returns>
    /// <exception cref="System.Text.Json.JsonException">The response is not a receive response.</exception>
    public (int Count, int Unusable) Open(PooledBuffer response, ReadOnlySpan<SqsReceivedMessage> messages)
    {
        int count;
        ReceiveResponseReader reader = new(this, response);
        try
        {
            count = reader.Read(messages);
        }
        catch
        {
            foreach (SqsReceivedMessage message in messages)
            {
                message.Reset();
            }

            throw;
        }

        _response = response;
        _unreleased = Math.Max(1, count);
        if (count == 0)
        {
            Release();
        }

        return (count, reader.Unusable);
    }

    /// <summary>Called once by each message.</summary>
    public void Release()
    {
        if (Interlocked.Decrement(ref _unreleased) == 0)
        {
            _response!.Dispose();
            _response = null;
            pool?.Return(this);
        }
    }
}
