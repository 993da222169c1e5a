using System.Buffers;
using Quayside.Messaging.Sources.Channels;
using Quayside.Pipeline.Buffers;

namespace Quayside.Messaging.Publishing;

/// <summary>Generates messages to publish, each with its own id. Threads: any number concurrently.</summary>
/// <param name="write">Writes the body for a number, an id and a date.</param>
/// <param name="time">The clock for ids and bodies.</param>
internal sealed class GeneratedMessages(Action<IBufferWriter<byte>, int, string, DateTimeOffset> write, TimeProvider time)
{
    // Most samples are about 300 bytes; the buffer grows for larger ones.
    private const int UsualBytes = 512;

    /// <summary>A new id: a lower-case UUID of version 7, which sorts by time.</summary>
    public static string NewId(TimeProvider time) => Guid.CreateVersion7(time.GetUtcNow()).ToString("d");

    /// <summary>Creates the message with this number, from 0. The caller owns its bytes.</summary>
    public OutgoingMessage Create(int index)
    {
        using PooledBuffer body = BufferPool.Shared.Rent(UsualBytes);
        string id = Write(body, index);
        return new OutgoingMessage(id, body.WrittenSpan.ToArray());
    }

    /// <summary>Publishes messages to a route of this process, one after another; waits while its channel is full.</summary>
    /// <param name="publisher">The publisher of the route.</param>
    /// <param name="count">Messages to publish.</param>
    /// <param name="cancellationToken">Stops publishing; messages published by then are not withdrawn.</param>
    public async Task PublishAsync(IMessagePublisher publisher, int count, CancellationToken cancellationToken)
    {
        using PooledBuffer body = BufferPool.Shared.Rent(UsualBytes);
        for (int i = 0; i < count; i++)
        {
            body.Truncate(0);
            string id = Write(body, i);
            await publisher.PublishAsync(body.WrittenMemory, id, cancellationToken);
        }
    }

    private string Write(PooledBuffer body, int index)
    {
        string id = NewId(time);
        write(body, index, id, time.GetUtcNow());
        return id;
    }
}
