using Pipeline.Messages;

namespace Messaging.Publishing;

/// <summary>
/// Sends messages to a source from outside of the worker: what <c>publish --to NAME</c> uses. It owns its connection; the caller that
/// opened it disposes it. Threads: up to <see cref="Concurrency"/> calls at once.
/// </summary>
public interface IMessageSender : IDisposable
{
    /// <summary>Where messages go, for reports: an address or a queue's name.</summary>
    string Target { get; }

    /// <summary>What a success means, for reports: "stored by" or "sent to". The target follows.</summary>
    string Accepted { get; }

    /// <summary>Where messages go, for spans; null for the name of the sender and <see cref="Target"/>.</summary>
    MessageDestination? Destination => null;

    /// <summary>Calls of <see cref="SendAsync"/> that make sense at once, at least 1.</summary>
    int Concurrency { get; }

    /// <summary>Messages per call at most, at least 1.</summary>
    int BatchSize { get; }

    /// <summary>Why no further message can be sent; null while one can. Once set it stays.</summary>
    string? Problem => null;

    /// <summary>
    /// Sends 1 to <see cref="BatchSize"/> messages. Failures are values; the only exception is the cancellation's. The bodies are
    /// borrowed until the task completes.
    /// </summary>
    /// <returns>For each message, in their order, null on success, else why it was not taken: one printable line.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled; which messages were sent is unknown.</exception>
    Task<string?[]> SendAsync(IReadOnlyList<OutgoingMessage> messages, CancellationToken cancellationToken);
}
