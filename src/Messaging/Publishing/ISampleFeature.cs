using System.Buffers;

namespace Messaging.Publishing;

/// <summary>
/// Lets a handler's feature make messages that the handler takes: what <c>publish</c> sends where no body is given. A class that
/// implements <see cref="Handlers.IHandlerFeature"/> implements it too. Of several handlers the one that was added first makes them.
/// </summary>
public interface ISampleFeature
{
    /// <summary>Writes the body of one message. Threads: any number at once.</summary>
    /// <param name="body">Takes the body; borrowed for the call.</param>
    /// <param name="index">The message's number, from 0: chooses the values.</param>
    /// <param name="id">The id that the message is sent with.</param>
    /// <param name="date">When it is made.</param>
    void WriteSample(IBufferWriter<byte> body, int index, string id, DateTimeOffset date);
}
