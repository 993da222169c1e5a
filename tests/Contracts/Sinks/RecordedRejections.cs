using System.Text;
using Messaging.Sinks;

namespace Contracts.Sinks;

/// <summary>Keeps what was rejected, and says when two calls overlapped.</summary>
internal sealed class RecordedRejections : IDocumentRejections
{
    private readonly List<(long Index, string Json, int Status, string Type, string Reason)> _rejected = [];
    private int _running;

    public IReadOnlyList<(long Index, string Json, int Status, string Type, string Reason)> All => [.. _rejected.OrderBy(rejection => rejection.Index)];

    public bool Overlapped { get; private set; }

    /// <summary>Thrown instead of keeping; null to keep.</summary>
    public Exception? Failure { get; init; }

    public async ValueTask RejectAsync(DocumentRejection rejection, CancellationToken cancellationToken)
    {
        Overlapped |= Interlocked.Increment(ref _running) > 1;
        await Task.Yield();
        if (Failure is not null)
        {
            throw Failure;
        }

        _rejected.Add((rejection.Index, Encoding.UTF8.GetString(rejection.Json.Span), rejection.Status, rejection.Type, rejection.Reason));
        Interlocked.Decrement(ref _running);
    }
}
