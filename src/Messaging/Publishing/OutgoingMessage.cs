namespace Messaging.Publishing;

/// <summary>A message to send to a source from outside the worker.</summary>
/// <param name="Id">Its id; the source may send it as a header. In a redrive it is untrusted text and may contain any character.</param>
/// <param name="Body">The body; may be empty.</param>
public sealed record OutgoingMessage(string Id, ReadOnlyMemory<byte> Body)
{
    /// <summary>Its group, where <see cref="IMessageSender.SendsGroups"/> is true; null for the sender's choice.</summary>
    public string? Group { get; init; }
}

/// <summary>The result of publishing.</summary>
/// <param name="Count">Messages to send.</param>
/// <param name="Sent">Messages sent.</param>
/// <param name="FirstError">The first failure; null when all messages were sent.</param>
public readonly record struct PublishResult(int Count, int Sent, string? FirstError)
{
    /// <summary>True when every message was sent; false for <c>default</c>.</summary>
    public bool IsComplete => Count > 0 && Sent == Count;
}
