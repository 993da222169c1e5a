using Quayside.Messaging.Storage;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.DeadLetters.Redrive;

/// <summary>The dead-letter folder as the destination of dead letters out of a queue: <c>redrive --to folder</c>. Threads: any.</summary>
public sealed class RedriveFolder
{
    // This many failures in a row show that the folder fails, not the dead letters: trying each of thousands would take hours.
    private const int MaxFailures = 5;

    private readonly DirectoryDeadLetterStore _store;
    private readonly string _route;
    private readonly string _handler;
    private int _failures;

    internal RedriveFolder(DirectoryDeadLetterStore store, string route, string handler)
    {
        _store = store;
        _route = route;
        _handler = handler;
    }

    /// <summary>Why the redrive should end, as a sentence; null while dead letters can be stored.</summary>
    public string? Ended =>
        Volatile.Read(ref _failures) is >= MaxFailures and var failures
            ? $"{failures} dead letters in a row could not be stored. Run redrive again when the folder can be written."
            : null;

    /// <summary>
    /// Stores a dead letter durably, under a name of its own: two equal ones stay two. Delete it from the queue only afterwards: a crash between
    /// the two then duplicates it, and never loses it.
    /// </summary>
    /// <param name="letter">The record. Route and handler are replaced by those of the redrive.</param>
    /// <param name="body">The bytes; a borrow until the task completes.</param>
    /// <param name="cancellationToken">Cancels a write that has not begun.</param>
    /// <returns>Null when it is stored; otherwise why not, as one printable line.</returns>
    public async ValueTask<string?> KeepAsync(DeadLetter letter, ReadOnlyMemory<byte> body, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(letter);
        try
        {
            await _store.AddAsync(letter with { Route = _route, Handler = _handler }, body, cancellationToken);
            Volatile.Write(ref _failures, 0);
            return null;
        }
        catch (IOException exception)
        {
            Interlocked.Increment(ref _failures);
            return UntrustedText.Shorten(exception.Message);
        }
        catch (OperationCanceledException)
        {
            return "not stored before the interrupted command had to end";
        }
    }
}
