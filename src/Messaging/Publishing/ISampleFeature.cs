using System.Buffers;

namespace Messaging.Publishing;

/// <summary>
/// Generates sample messages for a handler: <c>publish</c> sends them when no body is given. A class that implements
/// <see cref="Handlers.IHandlerFeature"/> may implement it too. With several handlers, the one that was added first is used.
/// </summary>
public interface ISampleFeature
{
    /// <summary>Writes the body of one message. Threads: any number at once.</summary>
    /// <param name="body">Where the body is written; borrowed for the call.</param>
    /// <param name="index">The message's number, from 0; it selects the values.</param>
    /// <param name="id">The message's id.</param>
    /// <param name="date">The time of creation.</param>
    void WriteSample(IBufferWriter<byte> body, int index, string id, DateTimeOffset date);
}
