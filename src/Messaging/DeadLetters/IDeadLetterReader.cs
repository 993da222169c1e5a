namespace Messaging.DeadLetters;

/// <summary>
/// What a store of dead letters implements, beside <see cref="IDeadLetterStore"/>, to have them shown on the worker's page. Names come
/// from outside: one that is none of the store's is answered with null. Threads: any.
/// </summary>
public interface IDeadLetterReader
{
    /// <summary>Where they are, for people.</summary>
    string Location { get; }

    /// <summary>The names of the dead letters, the newest first; read on while it is enumerated.</summary>
    /// <exception cref="IOException">They cannot be listed.</exception>
    /// <exception cref="UnauthorizedAccessException">Likewise.</exception>
    IEnumerable<string> EnumerateNames();

    /// <summary>The record of a dead letter.</summary>
    /// <returns>Null when there is none of this name now.</returns>
    /// <exception cref="IOException">It cannot be read, or is damaged.</exception>
    /// <exception cref="UnauthorizedAccessException">It must not be read.</exception>
    DeadLetter? ReadRecord(string name);

    /// <summary>The beginning of a dead letter's body.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="maxBytes">Bytes at most.</param>
    /// <param name="length">Bytes of the whole body.</param>
    /// <returns>Null when there is none of this name now.</returns>
    /// <exception cref="IOException">It cannot be read.</exception>
    /// <exception cref="UnauthorizedAccessException">It must not be read.</exception>
    byte[]? ReadBodyStart(string name, int maxBytes, out long length);
}
