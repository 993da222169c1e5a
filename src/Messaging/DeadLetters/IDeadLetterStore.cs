using Quayside.Messaging.Configuration;

namespace Quayside.Messaging.DeadLetters;

/// <summary>Keeps dead letters of sources that have no dead-letter queue of their own.</summary>
public interface IDeadLetterStore
{
    /// <summary>Why dead letters cannot be written now, in a sentence for the readiness page; null while they can.</summary>
    string? Problem => null;

    /// <summary>Fails fast when dead letters can never be written as configured.</summary>
    /// <exception cref="StartupException">Says what is wrong and what to do.</exception>
    /// <remarks>A disk that is only full passes the check and sets <see cref="Problem"/>.</remarks>
    Task CheckAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>
    /// Counts the dead letters that wait in the store, those of other processes and of earlier runs included. The worker asks every few seconds, one call at a
    /// time.
    /// </summary>
    /// <returns>Null when the store cannot tell.</returns>
    /// <exception cref="IOException">They cannot be counted now.</exception>
    /// <exception cref="UnauthorizedAccessException">Likewise.</exception>
    /// <remarks>Make it cheap for any number of dead letters: count up to a limit, and set <see cref="WaitingDeadLetters.IsMore"/>.</remarks>
    internal ValueTask<WaitingDeadLetters?> CountWaitingAsync(CancellationToken cancellationToken) => default;

    /// <summary>Writes the dead letter durably: the body unchanged and the record beside it.</summary>
    /// <param name="letter">The record.</param>
    /// <param name="body">The bytes; a borrow until the task completes, even after the token was cancelled.</param>
    /// <param name="cancellationToken">Cancels a write that has not begun; one that has begun continues, and may hang with the disk.</param>
    /// <returns>Where it is, for logs and answers.</returns>
    /// <exception cref="IOException">It could not be stored; the source must keep the message.</exception>
    ValueTask<string> WriteAsync(DeadLetter letter, ReadOnlyMemory<byte> body, CancellationToken cancellationToken);
}

/// <summary>The store of one route: its dead letters name its handler. Threads: any.</summary>
/// <param name="store">The worker's store.</param>
/// <param name="handler">The name of the handler.</param>
/// <param name="began">Called when a write fails and the store had no problem before; several writes at once may call it.</param>
internal sealed class RouteDeadLetters(IDeadLetterStore store, string handler, Action<string> began) : IDeadLetterStore
{
    public string? Problem => store.Problem;

    public Task CheckAsync(CancellationToken cancellationToken) => store.CheckAsync(cancellationToken);

    ValueTask<WaitingDeadLetters?> IDeadLetterStore.CountWaitingAsync(CancellationToken cancellationToken) => store.CountWaitingAsync(cancellationToken);

    public async ValueTask<string> WriteAsync(DeadLetter letter, ReadOnlyMemory<byte> body, CancellationToken cancellationToken)
    {
        bool worked = store.Problem is null;
        try
        {
            return await store.WriteAsync(letter with { Handler = handler }, body, cancellationToken);
        }
        catch (Exception)
        {
            if (worked && store.Problem is { } problem)
            {
                began(problem);
            }

            throw;
        }
    }
}

/// <summary>
/// Implemented by a dead-letter store, beside <see cref="IDeadLetterStore"/>, to show its dead letters on the worker's page. Names come
/// from outside; the store answers a name that it does not know with null. Threads: any.
/// </summary>
internal interface IDeadLetterReader
{
    /// <summary>Where the dead letters are, for people.</summary>
    string Location { get; }

    /// <summary>The names of the dead letters, the newest first; listed lazily while it is enumerated.</summary>
    /// <exception cref="IOException">They cannot be listed.</exception>
    /// <exception cref="UnauthorizedAccessException">Likewise.</exception>
    IEnumerable<string> EnumerateNames();

    /// <summary>The record of a dead letter.</summary>
    /// <returns>Null when no dead letter has this name now.</returns>
    /// <exception cref="IOException">It cannot be read, or is damaged.</exception>
    /// <exception cref="UnauthorizedAccessException">Access was refused.</exception>
    DeadLetter? ReadRecord(string name);

    /// <summary>The beginning of a dead letter's body.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="maxBytes">The maximum number of bytes to read.</param>
    /// <param name="length">The length of the whole body in bytes.</param>
    /// <returns>Null when no dead letter has this name now.</returns>
    /// <exception cref="IOException">It cannot be read.</exception>
    /// <exception cref="UnauthorizedAccessException">Access was refused.</exception>
    byte[]? ReadBodyStart(string name, int maxBytes, out long length);
}

/// <summary>Implemented by a dead-letter store, in place of <see cref="IDeadLetterReader"/>, whose dead letters people may discard. Threads: any.</summary>
internal interface IDeadLetterEditor : IDeadLetterReader
{
    /// <summary>Days after which a discarded dead letter is deleted.</summary>
    int DiscardedDays { get; }

    /// <summary>Puts a dead letter aside: it no longer waits and is not redriven, and is deleted after <see cref="DiscardedDays"/>.</summary>
    /// <returns>False when no dead letter has this name now.</returns>
    /// <exception cref="IOException">It could not be moved.</exception>
    /// <exception cref="UnauthorizedAccessException">Access was refused.</exception>
    bool Discard(string name);
}
