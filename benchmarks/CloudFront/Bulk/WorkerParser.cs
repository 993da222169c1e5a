using Quayside.Messaging.Elasticsearch.BulkResponses;

namespace Benchmarks.CloudFront.Bulk;

/// <summary>The worker's parser over bytes in memory.</summary>
/// <param name="count">Whether the items of a response without errors are counted, as the sink does; without it, reading ends at <c>"errors":false</c>.</param>
internal sealed class WorkerParser(bool count) : IBulkItems
{
    // Enough for the property "errors" where it comes first.
    private const int Beginning = 128;

    private readonly BulkResponseParser _parser = new();
    private List<string>? _failed;

    /// <summary>Items of the last response, as far as they were read or counted.</summary>
    public int Items => _parser.Items;

    public BulkFailures Read(ReadOnlySpan<byte> json)
    {
        _failed = null;
        _parser.Reset();
        if (!count && json.Length > Beginning)
        {
            _parser.Read(json[..Beginning], isEnd: false, this, out int consumed);
            if (_parser.IsShortened)
            {
                return BulkFailures.None;
            }

            json = json[consumed..];
        }

        BulkParsing parsing = _parser.Read(json, isEnd: true, this, out _);
        return parsing != BulkParsing.Complete ? throw new InvalidOperationException("The response is malformed.")
            : _failed is null ? BulkFailures.None
            : new BulkFailures(Success: false, _failed);
    }

    public void Failed(in BulkItem item) => (_failed ??= []).Add(item.ReadId());
}
