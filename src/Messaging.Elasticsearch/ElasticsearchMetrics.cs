using System.Diagnostics.Metrics;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Elasticsearch;

/// <summary>The sink's metrics, recorded once per batch. They cost nothing without a listener. Threads: any.</summary>
internal sealed class ElasticsearchMetrics(string? route)
{
    private static readonly Meter Meter = new(RouteMetrics.SourceName);
    private static readonly Counter<long> Documents =
        Meter.CreateCounter<long>("worker.sink.documents", "{document}", "Documents that were accounted for, by outcome: created, existing, rejected");
    private static readonly Counter<long> Retries =
        Meter.CreateCounter<long>("worker.sink.document.retries", "{document}", "Documents that were retried, by cause");
    private static readonly Histogram<long> Size = Meter.CreateHistogram<long>("worker.sink.batch.size", "By", "Bytes of a batch, before compression");

    private readonly KeyValuePair<string, object?> _route = new("worker.route", route);

    /// <summary>Records a batch that has succeeded or failed.</summary>
    /// <param name="batch">The batch.</param>
    /// <param name="started">Its start, as returned by <see cref="RouteMetrics.StoreStarts"/>.</param>
    public void Ended(DocumentBatch batch, long started)
    {
        RouteMetrics.StoreEnded(started, route);
        Size.Record(batch.Bytes, _route);
        Add(batch.Created, "created");
        Add(batch.Existing, "existing");
    }

    public void Rejected(int documents) => Add(documents, "rejected");

    public void Retrying(int documents, string cause) => Retries.Add(documents, _route, new KeyValuePair<string, object?>("error.type", cause));

    private void Add(long documents, string outcome)
    {
        if (documents > 0)
        {
            Documents.Add(documents, _route, new KeyValuePair<string, object?>("worker.outcome", outcome));
        }
    }
}
