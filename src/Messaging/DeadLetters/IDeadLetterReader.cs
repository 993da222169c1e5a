namespace Messaging.DeadLetters;

/// <summary>
/// Implemented by a dead-letter store, beside <see cref="IDeadLetterStore"/>, to show its dead letters on the worker's page. Names come
/// from outside; the store answers a name that it does not know with null. Threads: any.
/// </summary>
public interface IDeadLetterReader
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
