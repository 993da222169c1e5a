namespace Messaging.Sources.Channels;

/// <summary>
/// Puts messages into a route of this process. Resolve it by the route's name as a keyed service, or without a key for the
/// only channel route (or the one named <c>default</c>). Threads: any number at once.
/// </summary>
public interface IMessagePublisher
{
    /// <summary>
    /// Hands a message to the route and returns once it is accepted; while the channel is full it waits. Accepted means kept in
    /// memory: a kill loses it, a regular stop does not. Costs 0 B when there is room.
    /// </summary>
    /// <param name="body">The body; copied before the call returns. May be empty.</param>
    /// <param name="id">The message's id, 1 to 256 bytes of UTF-8: the same id and body give the same object. A new UUID (version 7, lower case) when null.</param>
    /// <param name="cancellationToken">Ends the waiting for room; the message was then not accepted.</param>
    /// <exception cref="ArgumentException">The body or the id is too large, or the id is empty or not valid text.</exception>
    /// <exception cref="System.Threading.Channels.ChannelClosedException">The route is stopping; the message was not accepted.</exception>
    /// <exception cref="InvalidOperationException">The route has no channel source, or it was not started yet.</exception>
    ValueTask PublishAsync(ReadOnlyMemory<byte> body, string? id = null, CancellationToken cancellationToken = default);
}
