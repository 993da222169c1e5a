namespace Worker.DeadLetters;

/// <summary>Keeps dead letters of sources that have no dead-letter queue of their own.</summary>
internal interface IDeadLetterStore
{
    /// <summary>Writes the dead letter durably: the body unchanged and the record beside it.</summary>
    /// <returns>Where it is, for logs and answers.</returns>
    /// <exception cref="IOException">It could not be stored; the message must not be given up.</exception>
    ValueTask<string> WriteAsync(DeadLetter letter, ReadOnlyMemory<byte> body, CancellationToken cancellationToken);
}
