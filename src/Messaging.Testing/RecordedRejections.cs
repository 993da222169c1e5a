using System.Text;
using Quayside.Messaging.Sinks;

namespace Quayside.Messaging.Testing;

/// <summary>Keeps the documents that a store refused, and detects overlapping calls. It reads each only after it has left the caller's thread.</summary>
public sealed class RecordedRejections : IDocumentRejections
{
    private readonly List<RecordedRejection> _rejected = [];
    private int _running;

    /// <summary>The documents, in the order in which they were reported.</summary>
    public IReadOnlyList<RecordedRejection> All => [.. _rejected];

    /// <summary>True when a call began before the last one had ended, which a writer must not do.</summary>
    public bool Overlapped { get; private set; }

    /// <summary>Thrown instead of keeping a document; null to keep it.</summary>
    public Exception? Failure { get; init; }

    /// <inheritdoc/>
    public async ValueTask RejectAsync(DocumentRejection rejection, CancellationToken cancellationToken)
    {
        Overlapped |= Interlocked.Increment(ref _running) > 1;
        await Task.Yield();
        if (Failure is not null)
        {
            throw Failure;
        }

        _rejected.Add(new RecordedRejection(rejection.Id, Encoding.UTF8.GetString(rejection.Json.Span), rejection.Status, rejection.Type, rejection.Reason));
        Interlocked.Decrement(ref _running);
    }
}

/// <summary>A document that the store refused, as <see cref="RecordedRejections"/> keeps it.</summary>
/// <param name="Id">The document's id.</param>
/// <param name="Json">The document.</param>
/// <param name="Status">The store's status, such as 400.</param>
/// <param name="Type">The store's name for the error; may be empty.</param>
/// <param name="Reason">The store's explanation; may be empty.</param>
public readonly record struct RecordedRejection(string Id, string Json, int Status, string Type, string Reason);
