using System.Text;
using Messaging.Sinks;

namespace Messaging.Testing;

/// <summary>Keeps the documents that a store refused, and detects overlapping calls. It reads each only after it has left the caller's thread.</summary>
public sealed class RecordedRejections : IDocumentRejections
{
    private readonly List<RecordedRejection> _rejected = [];
    private int _running;

    /// <summary>The documents, in the order in which they were opened.</summary>
    public IReadOnlyList<RecordedRejection> All => [.. _rejected.OrderBy(rejection => rejection.Index)];

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

        _rejected.Add(new RecordedRejection(rejection.Index, Encoding.UTF8.GetString(rejection.Json.Span), rejection.Status, rejection.Type, rejection.Reason));
        Interlocked.Decrement(ref _running);
    }
}
