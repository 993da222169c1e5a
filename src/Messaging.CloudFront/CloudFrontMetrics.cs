using System.Diagnostics.Metrics;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.CloudFront;

/// <summary>Counts logs, rows and documents by outcome. It costs nothing without a listener. Threads: any.</summary>
internal sealed class CloudFrontMetrics(string route)
{
    private static readonly Meter Meter = new(RouteMetrics.SourceName);
    private static readonly Counter<long> Logs =
        Meter.CreateCounter<long>("worker.logs.read", "{log}", "Logs by outcome: indexed, or the reason why they cannot be indexed");
    private static readonly Counter<long> Rows = Meter.CreateCounter<long>("worker.logs.rows", "{row}", "Rows of logs that were read to their end");
    private static readonly Counter<long> BadRows = Meter.CreateCounter<long>("worker.logs.bad_rows", "{row}", "Rows dead-lettered, by reason");
    private static readonly Counter<long> Documents =
        Meter.CreateCounter<long>("worker.logs.documents", "{document}", "Documents by outcome: created, existing or rejected");
    private static readonly Counter<long> Ignored =
        Meter.CreateCounter<long>("worker.logs.records_ignored", "{record}", "Records of events that are not about a new log");

    private readonly KeyValuePair<string, object?> _route = new("worker.route", route);

    public void RecordsIgnored(int count)
    {
        if (count > 0)
        {
            Ignored.Add(count, _route);
        }
    }

    public void LogIndexed() => Logs.Add(1, _route, Outcome("indexed"));

    public void LogRead(in LogOutcome outcome)
    {
        Rows.Add(outcome.Rows, _route);
        if (outcome.Documents is { } documents)
        {
            Documents.Add(documents.Created, _route, Outcome("created"));
            Documents.Add(documents.Existing, _route, Outcome("existing"));
            Documents.Add(documents.Rejected, _route, Outcome("rejected"));
        }
    }

    public void LogPoisoned(string reason) => Logs.Add(1, _route, Outcome(reason));

    public void BadRow(string reason) => BadRows.Add(1, _route, new KeyValuePair<string, object?>("worker.reason", reason));

    private static KeyValuePair<string, object?> Outcome(string outcome) => new("worker.outcome", outcome);
}
