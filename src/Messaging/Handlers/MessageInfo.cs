using System.Text;
using Quayside.Pipeline.Messages;

namespace Quayside.Messaging.Handlers;

/// <summary>
/// What is known about a message beside its content. A view that copies nothing: it is valid until its delivery is settled, and reading
/// it later throws. Threads: any, until then.
/// </summary>
public readonly struct MessageInfo
{
    private readonly ReceivedMessage? _message;
    private readonly string? _route;
    private readonly int _version;

    /// <summary>Makes the view of a message that is not settled yet: for tests of a handler, and for handlers that are called by hand.</summary>
    /// <param name="route">The route's name.</param>
    /// <param name="message">The message.</param>
    public MessageInfo(string route, ReceivedMessage message)
    {
        ArgumentNullException.ThrowIfNull(route);
        ArgumentNullException.ThrowIfNull(message);
        _route = route;
        _message = message;
        _version = message.Version;
    }

    /// <summary>The name of the route that received the message.</summary>
    public string Route => _route ?? string.Empty;

    /// <summary>The id that the source knows the message by: UTF-8, never empty, the same on every delivery. A borrow like <see cref="Body"/>.</summary>
    /// <exception cref="InvalidOperationException">The message was settled.</exception>
    public ReadOnlyMemory<byte> SourceId => Message.SourceId;

    /// <summary>How often the source has delivered the message, this time included; at least 1.</summary>
    /// <exception cref="InvalidOperationException">The message was settled.</exception>
    public int DeliveryCount => Message.DeliveryCount;

    /// <summary>When the message entered its source; null where the source does not know.</summary>
    /// <exception cref="InvalidOperationException">The message was settled.</exception>
    public DateTimeOffset? EnqueuedAt => Message.EnqueuedAt;

    /// <summary>Named values beside the body (message attributes, headers); empty when there are none.</summary>
    /// <exception cref="InvalidOperationException">The message was settled.</exception>
    public IReadOnlyList<KeyValuePair<string, string>> Attributes => Message.Attributes;

    /// <summary>The group of the message: the message group of SQS, the session of Service Bus; null without one.</summary>
    /// <exception cref="InvalidOperationException">The message was settled.</exception>
    public string? Group => Message.Group;

    /// <summary>By what its source recognised a message that was sent twice; null where the sender gave nothing of the kind.</summary>
    /// <exception cref="InvalidOperationException">The message was settled.</exception>
    public string? DeduplicationId => Message.DeduplicationId;

    /// <summary>The body's bytes, unchanged. A borrow: copy what is needed after the handler's task has ended.</summary>
    /// <exception cref="InvalidOperationException">The message was settled.</exception>
    public ReadOnlyMemory<byte> Body => Message.Body;

    private ReceivedMessage Message => _message is { } message && message.Version == _version
        ? message
        : throw new InvalidOperationException("The message was settled, and its source may have reused it: read what is needed before the handler returns.");

    /// <summary>One of <see cref="Attributes"/>, without making them all; null when the message has none of that name.</summary>
    /// <param name="name">Its exact name.</param>
    /// <exception cref="InvalidOperationException">The message was settled.</exception>
    public string? FindAttribute(string name) => Message.FindAttribute(name);

    /// <summary>
    /// A property that the messaging system defines: <c>subject</c>, <c>correlation-id</c>, <c>content-type</c>, <c>to</c> or <c>reply-to</c>. Null without a
    /// value.
    /// </summary>
    /// <param name="name">Its name.</param>
    /// <exception cref="InvalidOperationException">The message was settled.</exception>
    public string? FindSystemProperty(string name) => Message.FindSystemProperty(name);

    /// <summary><see cref="SourceId"/> as text; allocates.</summary>
    /// <exception cref="InvalidOperationException">The message was settled.</exception>
    public string GetSourceIdString() => Encoding.UTF8.GetString(SourceId.Span);
}
