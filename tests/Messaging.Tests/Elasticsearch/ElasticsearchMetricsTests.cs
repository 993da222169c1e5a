using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using System.Text;
using Quayside.Messaging.Elasticsearch;
using Quayside.Messaging.Sinks;
using Quayside.Pipeline.Buffers;

namespace Messaging.Tests.Elasticsearch;

public sealed class ElasticsearchMetricsTests
{
    private readonly string _route = $"route-{Guid.NewGuid():n}";
    private readonly ConcurrentQueue<string> _seen = new();
    private readonly RecordedRejections _rejections = new();

    [Fact]
    public async Task Complete_WithAListener_ReportsEachOutcomeOncePerBatch()
    {
        using MeterListener listener = Listen();

        // Created, existing, rejected, throttled; then the throttled one is created.
        DocumentsResult result = await WriteAsync(
            4,
            """{"errors":true,"items":[{"create":{"_id":"d0","status":201}},{"create":{"_id":"d1","status":409,"error":{"type":"version_conflict_engine_exception"}}},{"create":{"_id":"d2","status":400,"error":{"type":"document_parsing_exception"}}},{"create":{"_id":"d3","status":429,"error":{"type":"es_rejected_execution_exception"}}}]}""",
            """{"errors":false,"items":[{"create":{"_id":"d3","status":201}}]}""");

        result.ShouldBe(new DocumentsResult(SinkStatus.Stored, 2, 1, 1));
        _seen.Where(line => line.StartsWith("worker.sink.document", StringComparison.Ordinal)).ShouldBe([
            "worker.sink.document.retries=1 es_rejected_execution_exception",
            "worker.sink.documents=2 created",
            "worker.sink.documents=1 existing",
            "worker.sink.documents=1 rejected",
        ]);
        _seen.Count(line => line.StartsWith("worker.sink.batch.size", StringComparison.Ordinal)).ShouldBe(1);
        _seen.Count(line => line.StartsWith("worker.sink.duration", StringComparison.Ordinal)).ShouldBe(1);
    }

    // "errors" is false although d1 could not be indexed, and the items are not parsed at first.
    [Theory]
    [InlineData(
        """{"errors":false,"items":[{"create":{"_id":"d0","status":201}},{"create":{"_id":"d1","status":201,"failure_store":"used"}}]}""",
        """{"errors":true,"items":[{"create":{"_id":"d0","status":409,"error":{"type":"version_conflict_engine_exception"}}},{"create":{"_id":"d1","status":201,"failure_store":"used"}}]}""", 0, 1)]
    [InlineData(
        """{"errors":false,"items":[{"create":{"_id":"d0","status":201,"failure_store":"used"}},{"create":{"_id":"d1","status":201,"failure_store":"used"}}]}""", """{"errors":false,"items":[{"create":{"_id":"d0","status":201,"failure_store":"used"}},{"create":{"_id":"d1","status":201,"failure_store":"used"}}]}""", 0, 0)]
    [InlineData(
        """{"items":[{"create":{"_id":"d0","status":201,"failure_store":"not_applicable_or_unknown"}},{"create":{"_id":"d1","status":201,"failure_store":"used"}}],"errors":false}""", null, 1, 0)]
    public async Task Complete_DocumentsInAFailureStore_AreRejected(string first, string? second, int created, int existing)
    {
        DocumentsResult result = await WriteAsync(2, second is null ? [first] : [first, second]);

        result.ShouldBe(new DocumentsResult(SinkStatus.Stored, created, existing, 2 - created - existing));
        _rejections.All.ShouldAllBe(rejection => rejection.Status == 201 && rejection.Type == "failure_store");
    }

    private async Task<DocumentsResult> WriteAsync(int documents, params string[] answers)
    {
        await using ElasticsearchSink sink = Open(new AnsweringHandler(answers));
        await using IDocumentWriter writer = sink.Begin(_rejections);
        for (int i = 0; i < documents; i++)
        {
            writer.Open(Encoding.UTF8.GetBytes($"d{i}"));
            "{}"u8.CopyTo(writer.Body.GetSpan(2));
            writer.Body.Advance(2);
            writer.Close();
        }

        return await writer.CompleteAsync(TestContext.Current.CancellationToken);
    }

    private ElasticsearchSink Open(HttpMessageHandler handler)
    {
        ElasticsearchSinkOptions options = new() { Endpoint = ["http://127.0.0.1:9200"], Index = "logs" };
        return new ElasticsearchSink(
            options, new BulkRequests(options, handler, TimeProvider.System, new BufferPool()),
            new SinkServices { Services = null!, Route = _route });
    }

    private MeterListener Listen()
    {
        MeterListener listener = new()
        {
            InstrumentPublished = static (instrument, self) =>
            {
                if (instrument.Name.StartsWith("worker.sink.document", StringComparison.Ordinal)
                    || instrument.Name.StartsWith("worker.sink.batch", StringComparison.Ordinal)
                    || instrument.Name == "worker.sink.duration")
                {
                    self.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) => Note(instrument, value, tags));
        listener.SetMeasurementEventCallback<double>((instrument, value, tags, _) => Note(instrument, (long)value, tags));
        listener.Start();
        return listener;
    }

    private void Note(Instrument instrument, long value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        // Other tests of this process record values too.
        if (tags[0].Value as string == _route)
        {
            _seen.Enqueue($"{instrument.Name}={value}{(tags.Length > 1 ? $" {tags[1].Value}" : "")}");
        }
    }
}
