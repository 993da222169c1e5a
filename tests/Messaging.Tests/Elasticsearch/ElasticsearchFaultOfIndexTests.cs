using System.Net;
using System.Text;
using System.Text.Json;
using Quayside.Messaging.Elasticsearch;
using Quayside.Messaging.Sinks;
using Quayside.Pipeline.Buffers;
using static Messaging.Tests.Elasticsearch.BulkResponses.BulkResponses;

namespace Messaging.Tests.Elasticsearch;

/// <summary>A fault of the index is reported as a refusal, also where only the message's other documents show whose fault it is.</summary>
public sealed class ElasticsearchFaultOfIndexTests
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(30);

    private readonly RecordedRejections _rejections = new();

    [Theory]
    [InlineData("illegal_argument_exception", "Limit of total fields [1000] has been exceeded while adding new fields [1]", "reached a limit")]
    [InlineData("strict_dynamic_mapping_exception", "mapping set to strict, dynamic introduction of [x] within [_doc] is not allowed", "is strict")]
    [InlineData("mapper_parsing_exception", "failed to parse: data stream timestamp field [@timestamp] is missing", "@timestamp")]
    public async Task Complete_EveryDocumentMeetsAFaultOfTheIndex_IsRefusedWithAdvice(string type, string reason, string advice)
    {
        DocumentsResult result = await WriteAsync(3, (_, id) => Failed(id, 400, type, reason));

        (result.Status, result.Rejected, _rejections.All.Count).ShouldBe((SinkStatus.Refused, 0L, 0));
        result.Detail.ShouldNotBeNull().ShouldContain(advice);
    }

    [Fact]
    public async Task Complete_LimitOfTheMapping_IsRefusedAlsoBesideAcceptedDocuments()
    {
        DocumentsResult result = await WriteAsync(
            3, (_, id) => id == "d1" ? Failed(id, 400, "illegal_argument_exception", "Limit of total fields [1000] has been exceeded") : Created(id));

        (result.Status, _rejections.All.Count).ShouldBe((SinkStatus.Refused, 0));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Complete_OtherDocumentsAreAcceptedOrExist_RejectsTheOne(bool exist)
    {
        DocumentsResult result = await WriteAsync(3, (_, id) => id == "d1" ? Missing(id) : exist ? Exists(id) : Created(id));

        result.ShouldBe(new DocumentsResult(SinkStatus.Stored, exist ? 0 : 2, exist ? 2 : 0, 1));
        _rejections.All.ShouldHaveSingleItem().Id.ShouldBe("d1");
    }

    // The second batch is answered first: only the first can show that the index accepts documents.
    [Theory]
    [InlineData(true, false)]
    [InlineData(true, true)]
    [InlineData(false, false)]
    public async Task Complete_OtherBatchIsStillInFlight_WaitsForIt(bool isAccepted, bool exist)
    {
        TaskCompletionSource second = new(TaskCreationOptions.RunContinuationsAsynchronously);
        DocumentsResult result = await WriteAsync(
            3,
            (_, id) => !isAccepted || id == "d2" ? Missing(id) : exist ? Exists(id) : Created(id),
            batch: 2,
            gate: async ids =>
            {
                if (ids.Contains("d2"))
                {
                    second.SetResult();
                    return;
                }

                await second.Task.WaitAsync(Limit);
            });

        result.Status.ShouldBe(isAccepted ? SinkStatus.Stored : SinkStatus.Refused);
        (result.Created + result.Existing, result.Rejected, _rejections.All.Count).ShouldBe(isAccepted ? (2L, 1L, 1) : (0L, 0L, 0));
    }

    [Fact]
    public async Task Complete_EveryBatchDoubts_IsRefusedAndEnds()
    {
        DocumentsResult result = await WriteAsync(8, (_, id) => Missing(id), batch: 2);

        (result.Status, _rejections.All.Count).ShouldBe((SinkStatus.Refused, 0));
    }

    // The answers come before the next batch is written, as with a slow log and a fast refusal.
    [Fact]
    public async Task Complete_FirstBatchDoubtsBeforeTheOthersAreWritten_WaitsForThem()
    {
        DocumentsResult result = await WriteAsync(5, (_, id) => id is "d0" or "d2" ? Missing(id) : Created(id), batch: 1);

        result.ShouldBe(new DocumentsResult(SinkStatus.Stored, 3, 0, 2));
        _rejections.All.Select(rejection => rejection.Id).ShouldBe(["d0", "d2"], ignoreOrder: true);
    }

    [Fact]
    public async Task Complete_BatchInDoubtHasTheOnlyPermit_IsRefusedAndEnds()
    {
        DocumentsResult result = await WriteAsync(5, (_, id) => id == "d0" ? Missing(id) : Created(id), batch: 1, maxInFlight: 1);

        (result.Status, _rejections.All.Count).ShouldBe((SinkStatus.Refused, 0));
    }

    [Fact]
    public async Task Complete_UnknownErrorForEveryDocument_HasOnlyRejections()
    {
        DocumentsResult result = await WriteAsync(3, (_, id) => Failed(id, 400, "some_new_exception", "unheard of"));

        result.ShouldBe(new DocumentsResult(SinkStatus.Stored, 0, 0, 3));
        result.HasOnlyRejections.ShouldBeTrue();
    }

    [Fact]
    public async Task Complete_PrivilegeToAddFieldsIsMissing_NamesThatPrivilege()
    {
        DocumentsResult result =
            await WriteAsync(1, (_, id) => Failed(id, 403, "security_exception", "action [indices:admin/mapping/auto_put] is unauthorized for API key id [x]"));

        result.Detail.ShouldNotBeNull().ShouldContain("auto_configure on 'logs'");
    }

    private static string Missing(string id) =>
        Failed(id, 400, "document_parsing_exception", "[1:2] failed to parse: data stream timestamp field [@timestamp] is missing");

    private async Task<DocumentsResult> WriteAsync(
        int documents, Func<int, string, string> answer, int batch = 10_000, Func<string[], Task>? gate = null, int maxInFlight = 4)
    {
        ElasticsearchSinkOptions options =
            new() { Endpoint = ["http://127.0.0.1:9200"], Index = "logs", MaxBatchDocuments = batch, MaxInFlight = maxInFlight };
        BulkRequests requests = new(options, new ItemsHandler(answer, gate), TimeProvider.System, new BufferPool());
        await using ElasticsearchSink sink = new(options, requests, new SinkServices { Services = null! });
        await using IDocumentWriter writer = sink.Begin(_rejections);
        for (int i = 0; i < documents; i++)
        {
            writer.Open(Encoding.UTF8.GetBytes($"d{i}"));
            "{}"u8.CopyTo(writer.Body.GetSpan(2));
            writer.Body.Advance(2);
            writer.Close();
            if (writer.IsFull && !await writer.SendAsync(TestContext.Current.CancellationToken))
            {
                break;
            }
        }

        return await writer.CompleteAsync(TestContext.Current.CancellationToken).AsTask().WaitAsync(Limit);
    }

    /// <summary>Answers each document by its request's number and its id.</summary>
    private sealed class ItemsHandler(Func<int, string, string> answer, Func<string[], Task>? gate) : HttpMessageHandler
    {
        private int _requests;

        protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
        {
            int number = Interlocked.Increment(ref _requests);
            string[] lines = (await request.Content!.ReadAsStringAsync(cancellationToken)).Split('\n', StringSplitOptions.RemoveEmptyEntries);
            string[] ids = [
                .. lines
                    .Where((_, line) => line % 2 == 0)
                    .Select(line => JsonDocument.Parse(line).RootElement.GetProperty("create").GetProperty("_id").GetString()!)];
            if (gate is not null)
            {
                await gate(ids);
            }

            string text = Of(errors: true, ids.Select(id => answer(number, id)));
            return new HttpResponseMessage(HttpStatusCode.OK) { Content = new ByteArrayContent(Encoding.UTF8.GetBytes(text)) };
        }
    }
}
