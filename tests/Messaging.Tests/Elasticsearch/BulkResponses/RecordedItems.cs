using Quayside.Messaging.Elasticsearch.BulkResponses;

namespace Messaging.Tests.Elasticsearch.BulkResponses;

/// <summary>Records the failed items.</summary>
internal sealed class RecordedItems : IBulkItems
{
    public List<ReadFailure> Failures { get; } = [];

    public void Failed(in BulkItem item) => Failures.Add(new ReadFailure(item.Index, item.Status, item.ReadId(), item.ReadType(), item.ReadReason()));

    /// <summary>Reads a response in windows: each cut ends one.</summary>
    public static ReadResponse Read(ReadOnlySpan<byte> response, params ReadOnlySpan<int> cuts)
    {
        BulkResponseParser parser = new();
        RecordedItems items = new();
        BulkParsing parsing = BulkParsing.NeedsMore;
        int done = 0;
        for (int i = 0; i <= cuts.Length && parsing != BulkParsing.Malformed; i++)
        {
            int end = i < cuts.Length ? cuts[i] : response.Length;

            // A copy of exactly the window, so that the reader cannot see beyond it.
            parsing = parser.Read(response[done..end].ToArray(), isEnd: i == cuts.Length, items, out int consumed);
            done += consumed;
        }

        return new ReadResponse(parsing, parser.IsShortened, parser.Items, parser.Errors, items.Failures);
    }
}
