using Quayside.Pipeline.Messages;

namespace Quayside.Messaging.Unwrapping;

/// <summary>
/// Takes the content out of what a queue, a topic, a proxy or an old client wrapped around it. One instance serves a route. Threads: any number
/// of messages concurrently.
/// </summary>
public interface IEnvelope
{
    /// <summary>
    /// Reads <see cref="EnvelopeReading.Body"/> and decides with one call: <see cref="EnvelopeReading.SetContent"/>, <see cref="EnvelopeReading.AddElement"/>
    /// for each of several messages, or one of the Refuse methods. The object is reused afterwards: never keep it.
    /// </summary>
    /// <param name="message">The message, and what was found in it.</param>
    /// <param name="cancellationToken">The message's token.</param>
    ValueTask UnwrapAsync(EnvelopeReading message, CancellationToken cancellationToken);

    /// <summary>
    /// The attributes that the envelope adds to those of the message around it. Asked only if a part reads attributes of a message that this envelope held, at
    /// most once each.
    /// </summary>
    /// <param name="message">The message in its envelope, which <see cref="UnwrapAsync"/> did not refuse. A borrow.</param>
    /// <returns>At most one of each name; they hide those of the same name around them.</returns>
    IReadOnlyList<KeyValuePair<string, string>> ReadAttributes(ReceivedMessage message) => [];
}
