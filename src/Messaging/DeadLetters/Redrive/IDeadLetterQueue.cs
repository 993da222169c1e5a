using Quayside.Messaging.Configuration;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.DeadLetters.Redrive;

/// <summary>
/// The dead letters of one queue, or of the folder, as a redrive sees them. It knows how to receive, send and delete; which dead letters are moved, how fast,
/// and what is reported decides the redrive, which is one for all queues. Threads: one call at a time.
/// </summary>
/// <remarks>Calls throw what the client throws; <see cref="Explain"/> says what it means.</remarks>
internal interface IDeadLetterQueue : IAsyncDisposable
{
    /// <summary>When dead letters that another receiver has can be received again; completes "hides them until".</summary>
    string HiddenUntil => "it gives them back";

    /// <summary>What the counts do not show, for the end of the report.</summary>
    IReadOnlyList<string> Notes => [];

    /// <summary>Why it gave less than it counted, for the end of the report; null when it gave all.</summary>
    string? Problem => null;

    /// <summary>Connects, checks that dead letters can be received and sent, and counts them.</summary>
    /// <returns>All of them, 0 where <see cref="PeekAsync"/> shows them; of these, the ones that other receivers have or may take.</returns>
    ValueTask<(long Count, long Hidden)> CountAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Looks at dead letters without receiving them: at all by the first call, at later ones by the second. Null for a queue that cannot do that.
    /// </summary>
    IAsyncEnumerable<QueuedDeadLetter>? PeekAsync(CancellationToken cancellationToken) => null;

    /// <summary>Receives the next dead letters. Their bodies are a borrow until the next call.</summary>
    /// <returns>Empty when there is none at the moment; null when there are no more.</returns>
    ValueTask<IReadOnlyList<QueuedDeadLetter>?> ReceiveAsync(CancellationToken cancellationToken);

    /// <summary>Sends the message of a dead letter, and returns when it was accepted; the dead letter is deleted afterwards.</summary>
    ValueTask<SentTo> SendBackAsync(QueuedDeadLetter letter, CancellationToken cancellationToken);

    /// <summary>Deletes a dead letter whose message was accepted.</summary>
    ValueTask DeleteAsync(QueuedDeadLetter letter, CancellationToken cancellationToken);

    /// <summary>Lets others receive the dead letters that stay.</summary>
    /// <param name="receipts">The newest <see cref="QueuedDeadLetter.Receipt"/> of each.</param>
    /// <param name="cancellationToken">Ends it: what is hidden then, is so until <see cref="HiddenUntil"/>.</param>
    ValueTask ReleaseAsync(IReadOnlyCollection<object> receipts, CancellationToken cancellationToken) => default;

    /// <summary>The record of a dead letter for the folder.</summary>
    /// <exception cref="DeadLetterException">It has something that the folder cannot keep.</exception>
    DeadLetter Describe(QueuedDeadLetter letter);

    /// <summary>What an exception of a call means; null for one that is a defect.</summary>
    QueueFault? Explain(Exception exception) => null;
}

/// <summary>A failed call.</summary>
/// <param name="Text">What happened; printable.</param>
/// <param name="Ended">What to do, with the exit code: for a call without which the redrive cannot go on.</param>
/// <param name="IsOfMessage">True when the message itself was refused: others may be accepted.</param>
internal sealed record QueueFault(string Text, StartupException Ended, bool IsOfMessage = false);

/// <summary>Where the message of a dead letter was sent.</summary>
internal enum SentTo
{
    /// <summary>Nowhere, or not known: a defect.</summary>
    Undecided = 0,

    /// <summary>To its route, which has stored it.</summary>
    Route,

    /// <summary>To a queue, which has accepted it.</summary>
    Queue,
}

/// <summary>A dead letter that was received or looked at.</summary>
/// <param name="key">Tells it from every other one of the queue, also when it is received again.</param>
/// <param name="name">Its id for people; printable.</param>
/// <param name="reason">Its reason code; null or empty without one.</param>
/// <param name="message">The queue's own object for it.</param>
internal sealed class QueuedDeadLetter(string key, string name, string? reason, object? message)
{
    /// <summary>Tells it from every other one of the queue, also when it is received again.</summary>
    public string Key { get; } = key;

    /// <summary>Its id for people; printable.</summary>
    public string Name { get; } = name;

    /// <summary>Its reason code; null or empty without one.</summary>
    public string? Reason { get; } = reason;

    /// <summary>The queue's own object for it.</summary>
    public object? Message { get; } = message;

    /// <summary>Its reason for people; printable.</summary>
    public string ShownReason { get; init; } = string.IsNullOrEmpty(reason) ? "(no reason)" : UntrustedText.Shorten(reason);

    /// <summary>What a dry run shows after the reason, before the description; printable.</summary>
    public string Columns { get; init; } = name;

    /// <summary>Why it was dead-lettered; may be text from outside.</summary>
    public string? Description { get; init; }

    /// <summary>Its body, or the start of it in a dry run.</summary>
    public ReadOnlyMemory<byte> Body { get; init; }

    /// <summary>The length of the whole body, in bytes.</summary>
    public long BodyLength { get; init; }

    /// <summary>By what <see cref="IDeadLetterQueue.ReleaseAsync"/> gives it back; null when there is nothing to give back.</summary>
    public object? Receipt { get; init; }

    /// <summary>The name of the dead letter whose message this redrive sent, and which became this one; null for others.</summary>
    public string? SentAs { get; init; }

    /// <summary>True when it became a dead letter after the redrive began.</summary>
    public bool IsNewcomer { get; init; }

    /// <summary>Why it cannot be sent and stays; null when it can. Printable.</summary>
    public string? Problem { get; init; }
}
