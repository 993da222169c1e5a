using Pipeline.Messages;

namespace Messaging.Publishing;

/// <summary>
/// Sends messages to a source from outside the worker, for <c>publish --to NAME</c>. It owns its connection; the caller that opened it
/// disposes it. Threads: up to <see cref="Concurrency"/> calls at once.
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

    /// <summary>Why no further message can be sent; null while sending works. Never reset.</summary>
    string? Problem => null;

    /// <summary>
    /// Sends 1 to <see cref="BatchSize"/> messages. Failures are values; only cancellation throws. The bodies are borrowed until the task
    /// completes.
    /// </summary>
    /// <returns>Per message, in order: null on success, otherwise the reason for the failure as one printable line.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled; which messages were sent is unknown.</exception>
    Task<string?[]> SendAsync(IReadOnlyList<OutgoingMessage> messages, CancellationToken cancellationToken);
}
