namespace Messaging.DeadLetters;

/// <summary>Keeps dead letters of sources that have no dead-letter queue of their own.</summary>
public interface IDeadLetterStore
{
    /// <summary>Why dead letters cannot be written now, in a sentence for the readiness page; null while they can.</summary>
    string? Problem => null;

    /// <summary>Fails fast when dead letters can never be written as configured.</summary>
    /// <exception cref="Hosting.StartupException">Says what is wrong and what to do.</exception>
    /// <remarks>A disk that is only full passes the check and sets <see cref="Problem"/>.</remarks>
    Task CheckAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>Writes the dead letter durably: the body unchanged and the record beside it.</summary>
    /// <param name="letter">The record.</param>
    /// <param name="body">The bytes; a borrow until the task completes, even after the token was cancelled.</param>
    /// <param name="cancellationToken">Cancels a write that has not begun; one that has begun continues, and may hang with the disk.</param>
    /// <returns>Where it is, for logs and answers.</returns>
    /// <exception cref="IOException">It could not be stored; the source must keep the message.</exception>
    ValueTask<string> WriteAsync(DeadLetter letter, ReadOnlyMemory<byte> body, CancellationToken cancellationToken);
}
