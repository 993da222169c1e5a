using System.Text.Json;
using System.Text.Json.Serialization.Metadata;

namespace Quayside.Messaging.Sources.Channels;

/// <summary>
/// Publishes messages to a route of this process whose source is Channel. Inject it with the route's name as the key,
/// <c>[FromKeyedServices("orders")] IMessagePublisher orders</c>, or without a key for the only channel route (or the one named
/// <c>default</c>). It may be injected before its route has started. Threads: any number concurrently.
/// </summary>
/// <remarks>
/// A handler may publish, too. While the worker stops, the other route may refuse the message: the handler then throws or abandons, and its own
/// message is abandoned. A handler that publishes to its own route waits, when that is full, for room that only its own messages can
/// make: keep <c>Sources:Channel:Capacity</c> well above <c>Intake:Concurrency</c>.
/// </remarks>
public interface IMessagePublisher
{
    /// <summary>
    /// Hands a message to the route and returns once it is accepted; waits while the channel is full. An accepted message is kept in memory: a
    /// kill loses it, a regular shutdown does not. Allocates nothing when there is room.
    /// </summary>
    /// <param name="body">The body; copied before the call returns. May be empty.</param>
    /// <param name="id">The message's id, 1 to 256 bytes of UTF-8: the same id and body give the same object. A new UUID (version 7, lower case) when
    /// null.</param>
    /// <param name="cancellationToken">Cancels the wait for room; the message is then not accepted.</param>
    /// <exception cref="ArgumentException">The body or the id is too large, or the id is empty or not valid text.</exception>
    /// <exception cref="System.Threading.Channels.ChannelClosedException">The route is stopping; the message was not accepted.</exception>
    /// <exception cref="InvalidOperationException">The route has no channel source, or has not started.</exception>
    ValueTask PublishAsync(ReadOnlyMemory<byte> body, string? id = null, CancellationToken cancellationToken = default);

    /// <summary>Hands a message with properties beside its body to the route, as above.</summary>
    /// <param name="body">The body; copied before the call returns. May be empty.</param>
    /// <param name="id">The message's id, as above; null for a new one.</param>
    /// <param name="properties">Attributes, group and deduplication id; together with the body they have at most <c>Sources:Channel:MaxMessageBytes</c>
    /// bytes.</param>
    /// <param name="cancellationToken">Cancels the wait for room; the message is then not accepted.</param>
    /// <inheritdoc cref="PublishAsync(ReadOnlyMemory{byte}, string, CancellationToken)" path="/exception"/>
    ValueTask PublishAsync(ReadOnlyMemory<byte> body, string? id, MessageProperties properties, CancellationToken cancellationToken = default);

    /// <summary>Writes a message as UTF-8 JSON and publishes it. Allocates the JSON.</summary>
    /// <param name="message">The message; written before the call returns. Null is the JSON <c>null</c>, which every typed handler dead-letters.</param>
    /// <param name="typeInfo">How it is written, from a <c>JsonSerializerContext</c>: no reflection at run time. Use the one that the route's handler was added
    /// with.</param>
    /// <param name="id">The message's id, as above.</param>
    /// <param name="cancellationToken">Cancels the wait for room; the message is then not accepted.</param>
    /// <exception cref="NotSupportedException">The type, or one that it refers to, cannot be written as JSON.</exception>
    /// <inheritdoc cref="PublishAsync(ReadOnlyMemory{byte}, string, CancellationToken)" path="/exception"/>
    ValueTask PublishAsync<T>(T message, JsonTypeInfo<T> typeInfo, string? id = null, CancellationToken cancellationToken = default) =>
        PublishAsync(JsonSerializer.SerializeToUtf8Bytes(message, typeInfo), id, cancellationToken);

    /// <summary>Writes a message as UTF-8 JSON and publishes it with properties beside its body. Allocates the JSON.</summary>
    /// <param name="message">The message, as above.</param>
    /// <param name="typeInfo">How it is written, as above.</param>
    /// <param name="id">The message's id, as above; null for a new one.</param>
    /// <param name="properties">Attributes, group and deduplication id, as above.</param>
    /// <param name="cancellationToken">Cancels the wait for room; the message is then not accepted.</param>
    /// <exception cref="NotSupportedException">The type, or one that it refers to, cannot be written as JSON.</exception>
    /// <inheritdoc cref="PublishAsync(ReadOnlyMemory{byte}, string, CancellationToken)" path="/exception"/>
    ValueTask PublishAsync<T>(T message, JsonTypeInfo<T> typeInfo, string? id, MessageProperties properties, CancellationToken cancellationToken = default) =>
        PublishAsync(JsonSerializer.SerializeToUtf8Bytes(message, typeInfo), id, properties, cancellationToken);
}
