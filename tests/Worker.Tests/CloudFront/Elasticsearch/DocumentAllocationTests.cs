using Messaging.CloudFront.Elasticsearch;
using Messaging.Sinks;
using Microsoft.Extensions.Logging.Abstractions;
using Pipeline.Buffers;
using Tests.Shared;

namespace Worker.Tests.CloudFront.Elasticsearch;

/// <summary>Bytes allocated by indexing, from the first document to the answer for all: independent of the number of documents.</summary>
[Collection(AllocationCollection.Name)]
public sealed class DocumentAllocationTests
{
    private const int Few = 1_000;
    private const int Many = 10_000;

    private static readonly byte[] Id = "0f8fad5bd9cb469fa16570867728950e"u8.ToArray();
    private static readonly byte[] Json = "{\"date\":\"2019-04-01\",\"time\":\"10:00:00\",\"agent\":\"Mozilla/5.0%20(Windows%20NT%2010.0;%20Win64;%20x64)\"}"u8.ToArray();

    [Fact]
    public async Task Complete_TenTimesTheDocuments_AllocatesNoMore()
    {
        double few = await MeasureAsync(Few);
        double many = await MeasureAsync(Many);

        TestContext.Current.TestOutputHelper?.WriteLine($"{few:F0} B for {Few} documents, {many:F0} B for {Many}");
        few.ShouldBeInRange(1_000, 20_000);
        ((many - few) / (Many - Few)).ShouldBeLessThan(0.1);
    }

    private static async Task<double> MeasureAsync(int documents)
    {
        ElasticsearchSinkOptions options = new() { Endpoint = new Uri("http://127.0.0.1:9200"), Index = "logs", MaxBatchDocuments = 100_000 };
        BufferPool buffers = new();
        await using ElasticsearchSink sink = new(
            options,
            new BulkRequests(options, new CountingHandler(documents), TimeProvider.System, buffers),
            new SinkServices(null!, NullLoggerFactory.Instance, TimeProvider.System));

        double min = await MinBytes.OfProcessAsync(async () =>
        {
            await using (IDocumentWriter writer = sink.Begin(new RecordedRejections()))
            {
                for (int i = 0; i < documents; i++)
                {
                    Write(writer);
                }

                (await writer.CompleteAsync(TestContext.Current.CancellationToken)).ShouldBe(new DocumentsResult(SinkStatus.Stored, documents, 0, 0));
            }
        });

        (buffers.Outstanding, sink.Segments.Outstanding).ShouldBe((0, 0));
        return min;
    }

    private static void Write(IDocumentWriter writer)
    {
        writer.Open(Id);
        Json.CopyTo(writer.Body.GetSpan(Json.Length));
        writer.Body.Advance(Json.Length);
        writer.Close();
    }
}
