namespace Messaging.DeadLetters;

/// <summary>Keeps dead letters of sources that have no dead-letter queue of their own.</summary>
public interface IDeadLetterStore
{
    /// <summary>Why dead letters cannot be written now, in a sentence for the readiness page; null while they can.</summary>
    string? Problem => null;

    /// <summary>Fails fast when dead letters can never be written as configured.</summary>
    /// <exception cref="Hosting.StartupException">Says what is wrong and what to do.</exception>
    /// <remarks>A disk that is merely full for now passes, with a <see cref="Problem"/>.</remarks>
    Task CheckAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>Writes the dead letter durably: the body unchanged and the record beside it.</summary>
    /// <param name="letter">The record.</param>
    /// <param name="body">The bytes; a borrow until the task completes, also when the token has ended by then.</param>
    /// <param name="cancellationToken">Ends the waiting for the disk's attention; a write that has begun goes on and may hang with the disk.</param>
    /// <returns>Where it is, for logs and answers.</returns>
    /// <exception cref="IOException">It could not be stored; the source must keep the message.</exception>
    ValueTask<string> WriteAsync(DeadLetter letter, ReadOnlyMemory<byte> body, CancellationToken cancellationToken);
}
