using Quayside.Pipeline.Messages;

namespace Quayside.Messaging.Publishing;

/// <summary>
/// Sends messages to a source from outside the worker, for <c>publish --to NAME</c>. It owns its connection; the caller that opened it
/// disposes it. Threads: up to <see cref="Concurrency"/> concurrent calls.
/// </summary>
public interface IMessageSender : IDisposable
{
    /// <summary>The destination, for reports: an address or the name of a queue.</summary>
    string Target { get; }

    /// <summary>What a success means, for reports: "stored by" or "sent to", followed by the target.</summary>
    string Accepted { get; }

    /// <summary>The destination, for spans; null for the name of the sender and <see cref="Target"/>.</summary>
    MessageDestination? Destination => null;

    /// <summary>Useful number of concurrent calls of <see cref="SendAsync"/>, at least 1.</summary>
    int Concurrency { get; }

    /// <summary>Maximum number of messages per call, at least 1.</summary>
    int BatchSize { get; }

    /// <summary>True when it sends <see cref="OutgoingMessage.Group"/>; false when it ignores it.</summary>
    bool SendsGroups => false;

    /// <summary>True when it sends <see cref="OutgoingMessage.DeduplicationId"/>; false when it ignores it.</summary>
    bool SendsDeduplicationIds => false;

    /// <summary>Why it cannot send an attribute of <see cref="OutgoingMessage.Attributes"/>; null when it can.</summary>
    /// <param name="name">The attribute's name.</param>
    /// <param name="value">Its value.</param>
    string? CheckAttribute(string name, string value) => "it sends no attributes";

    /// <summary>Why no further message can be sent; null while sending works. Never reset.</summary>
    string? Problem => null;

    /// <summary>True once its worker has answered that it has no route of the name that was given. Never reset.</summary>
    bool HasNoSuchRoute => false;

    /// <summary>
    /// Sends 1 to <see cref="BatchSize"/> messages. Failures are values; only cancellation throws. The bodies are borrowed until the task
    /// completes.
    /// </summary>
    /// <returns>Per message, in order: null on success, otherwise the reason for the failure as one printable line.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled; which messages were sent is unknown.</exception>
    Task<string?[]> SendAsync(IReadOnlyList<OutgoingMessage> messages, CancellationToken cancellationToken);
}

/// <summary>A message to send to a source from outside the worker.</summary>
/// <param name="Id">Its id; the source may send it as a header. In a redrive it is untrusted text and may contain any character.</param>
/// <param name="Body">The body; may be empty.</param>
public sealed record OutgoingMessage(string Id, ReadOnlyMemory<byte> Body)
{
    /// <summary>Its group, where <see cref="IMessageSender.SendsGroups"/> is true; null for the sender's choice.</summary>
    public string? Group { get; init; }

    /// <summary>
    /// By what its source recognises a message that was sent twice, where <see cref="IMessageSender.SendsDeduplicationIds"/> is true; null for
    /// <see cref="Id"/>.
    /// </summary>
    public string? DeduplicationId { get; init; }

    /// <summary>Named values beside the body, of which <see cref="IMessageSender.CheckAttribute"/> has approved each; at most one of a name.</summary>
    public IReadOnlyList<KeyValuePair<string, string>> Attributes { get; init; } = [];

    /// <summary>True for a message that its source may have had before: a queue that recognises duplicates must accept it again, and keep its id.</summary>
    public bool IsRedriven { get; init; }

    /// <summary>
    /// What its queue keeps beside the attributes, such as <c>correlation-id</c>; a sender leaves out those that it has no place for. Null for none.
    /// </summary>
    public IReadOnlyDictionary<string, string>? SystemProperties { get; init; }
}

/// <summary>The result of publishing.</summary>
/// <param name="Count">Messages to send.</param>
/// <param name="Sent">Messages sent.</param>
/// <param name="FirstError">The first failure; null when all messages were sent.</param>
internal readonly record struct PublishResult(int Count, int Sent, string? FirstError)
{
    /// <summary>True when every message was sent; false for <c>default</c>.</summary>
    public bool IsComplete => Count > 0 && Sent == Count;
}
