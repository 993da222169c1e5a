using ElasticsearchServer;
using Quayside.Messaging.Elasticsearch;
using Quayside.Messaging.Sinks;

namespace Integration.Tests.Elasticsearch;

/// <summary>Every document is accounted for once under every fault, and the sink makes no retry that cannot succeed.</summary>
public sealed class ElasticsearchSinkFaultTests
{
    private static readonly TimeSpan Short = TimeSpan.FromMilliseconds(700);

    [Fact]
    public async Task Complete_SomeItemsThrottled_SendsOnlyThoseAgain()
    {
        await using SinkRun run = await SinkRun.StartAsync([new FaultRule { Fault = ServerFault.FailItems, First = 1, Last = 2, EveryNthItem = 3 }]);

        DocumentsResult result = await run.WriteAsync(10);

        result.ShouldBe(new DocumentsResult(SinkStatus.Stored, 10, 0, 0));
        IReadOnlyList<BulkExchange> history = await run.Server.HistoryAsync();
        history.Count.ShouldBe(3);
        history[1].Ids.ShouldBe(["d0", "d3", "d6", "d9"]);
        history[2].Ids.ShouldBe(["d0", "d9"]);
        await run.ShouldHoldAsync(10);
    }

    [Theory]
    [InlineData(429, "es_rejected_execution_exception")]
    [InlineData(503, "unavailable_shards_exception")]
    [InlineData(500, "exception")]
    [InlineData(408, "timeout_exception")]
    [InlineData(409, "unknown_conflict_exception")]
    public async Task Complete_ItemsWithATransientFault_AreSentAgain(int status, string type)
    {
        await using SinkRun run =
            await SinkRun.StartAsync([new FaultRule { Fault = ServerFault.FailItems, Last = 1, EveryNthItem = 2, Status = status, Type = type }]);

        (await run.WriteAsync(4)).ShouldBe(new DocumentsResult(SinkStatus.Stored, 4, 0, 0));

        (await run.Server.HistoryAsync())[1].Ids.ShouldBe(["d0", "d2"]);
        await run.ShouldHoldAsync(4);
    }

    [Theory]
    [InlineData(400, "document_parsing_exception")]
    [InlineData(400, "illegal_argument_exception")]
    [InlineData(413, "too_large_exception")]
    public async Task Complete_RejectedItems_AreReportedAndNotSentAgain(int status, string type)
    {
        await using SinkRun run = await SinkRun.StartAsync(
            [new FaultRule { Fault = ServerFault.FailItems, Status = status, Type = type, Reason = new string('r', 9_000), EveryNthItem = 2 }]);

        DocumentsResult result = await run.WriteAsync(4);

        result.ShouldBe(new DocumentsResult(SinkStatus.Stored, 2, 0, 2));
        run.Rejections.All
            .Select(rejection => (rejection.Id, rejection.Json, rejection.Status, rejection.Type))
            .ShouldBe([("d0", SinkRun.Json(0), status, type), ("d2", SinkRun.Json(2), status, type)]);
        run.Rejections.All[0].Reason.Length.ShouldBeInRange(200, 256);
        (await run.Server.HistoryAsync()).Count.ShouldBe(1);
        await run.ShouldHoldAsync(4, without: [0, 2]);
    }

    [Theory]
    [InlineData(401, "security_exception", "credentials")]
    [InlineData(403, "security_exception", "create_doc")]
    public async Task Complete_RefusedItems_IsRefusedAndNothingIsRejected(int status, string type, string advice)
    {
        await using SinkRun run = await SinkRun.StartAsync([new FaultRule { Fault = ServerFault.FailItems, Status = status, Type = type }]);

        DocumentsResult result = await run.WriteAsync(3);

        result.Status.ShouldBe(SinkStatus.Refused);
        result.Detail!.ShouldContain(advice);
        result.Detail!.Length.ShouldBeLessThanOrEqualTo(256);
        run.Rejections.All.ShouldBeEmpty();
        (await run.Server.HistoryAsync()).Count.ShouldBe(1);
    }

    // As OpenSearch reports it: the reason is only in the cause, for which the sink has to ask.
    [Fact]
    public async Task Complete_FaultOfTheIndexInTheCause_IsRefused()
    {
        await using SinkRun run = await SinkRun.StartAsync(
            [new FaultRule { Fault = ServerFault.FailItems, Status = 400, Type = "mapper_parsing_exception", Reason = "failed to parse",
                Cause = "data stream timestamp field [@timestamp] is missing" }]);

        DocumentsResult result = await run.WriteAsync(3);

        result.Status.ShouldBe(SinkStatus.Refused);
        result.Detail!.ShouldContain("@timestamp");
        run.Rejections.All.ShouldBeEmpty();
    }

    [Theory]
    [InlineData(ServerFault.FewerItems)]
    [InlineData(ServerFault.MoreItems)]
    [InlineData(ServerFault.HalfJson)]
    [InlineData(ServerFault.Page)]
    [InlineData(ServerFault.CommitThenCut)]
    [InlineData(ServerFault.CommitThenReset)]
    public async Task Complete_CommittedWithoutAUsableAnswer_FindsTheDocumentsThereAtTheNextAttempt(object fault)
    {
        await using SinkRun run = await SinkRun.StartAsync([new FaultRule { Fault = (ServerFault)fault, Last = 1 }]);

        DocumentsResult result = await run.WriteAsync(50);

        result.ShouldBe(new DocumentsResult(SinkStatus.Stored, 0, 50, 0));
        (await run.Server.HistoryAsync()).Select(exchange => exchange.Ids.Count).ShouldBe([50, 50]);
        await run.ShouldHoldAsync(50);
    }

    [Fact]
    public async Task Complete_AnswerForOtherDocuments_IsNotAccepted()
    {
        await using SinkRun run = await SinkRun.StartAsync();
        (await run.WriteAsync(2)).Created.ShouldBe(2);
        await run.Server.ScriptAsync(new FaultRule { Fault = ServerFault.OtherOrder, First = 2, Last = 2 });

        // d0 and d1 conflict, d2 is new: in reverse order the answer would report the wrong documents as created.
        DocumentsResult result = await run.WriteAsync(3);

        result.ShouldBe(new DocumentsResult(SinkStatus.Stored, 0, 3, 0));
        (await run.Server.HistoryAsync())[2].Ids.ShouldBe(["d0", "d1", "d2"]);
        await run.ShouldHoldAsync(3);
    }

    [Theory]
    [InlineData(ServerFault.HangBeforeCommit, 50L, 0L)]
    [InlineData(ServerFault.CommitThenHang, 0L, 50L)]
    public async Task Complete_NoAnswerInTime_IsRetried(object fault, long created, long existing)
    {
        await using SinkRun run = await SinkRun.StartAsync(
            [new FaultRule { Fault = (ServerFault)fault, Last = 1 }],
            options => Change(options, attempt: TimeSpan.FromSeconds(2)));

        (await run.WriteAsync(50)).ShouldBe(new DocumentsResult(SinkStatus.Stored, created, existing, 0));

        await run.ShouldHoldAsync(50);
    }

    [Theory]
    [InlineData(429)]
    [InlineData(500)]
    [InlineData(502)]
    [InlineData(503)]
    [InlineData(504)]
    public async Task Complete_WholeRequestThrottledOrBroken_IsRetried(int status)
    {
        await using SinkRun run = await SinkRun.StartAsync([new FaultRule { Fault = ServerFault.Answer, Last = 2, Status = status }]);

        (await run.WriteAsync(5)).ShouldBe(new DocumentsResult(SinkStatus.Stored, 5, 0, 0));

        (await run.Server.HistoryAsync()).Select(exchange => exchange.Status).ShouldBe([status, status, 200]);
        await run.ShouldHoldAsync(5);
    }

    [Fact]
    public async Task Complete_RetryAfterBeyondTheTotalTime_EndsImmediatelyWithThatDelay()
    {
        await using SinkRun run = await SinkRun.StartAsync([new FaultRule { Fault = ServerFault.Answer, RetryAfter = 120 }]);

        DocumentsResult result = await run.WriteAsync(5);

        (result.Status, result.RetryAfter).ShouldBe((SinkStatus.Transient, TimeSpan.FromSeconds(120)));
        (await run.Server.HistoryAsync()).Count.ShouldBe(1);
    }

    [Fact]
    public async Task Complete_PersistentFault_IsTransientAfterAllAttempts()
    {
        await using SinkRun run = await SinkRun.StartAsync([new FaultRule { Fault = ServerFault.FailItems, EveryNthItem = 2 }]);

        DocumentsResult result = await run.WriteAsync(4);

        result.Status.ShouldBe(SinkStatus.Transient);
        result.Detail!.ShouldStartWith("Elasticsearch _bulk: es_rejected_execution_exception (429): ");
        (await run.Server.HistoryAsync()).Select(exchange => exchange.Ids.Count).ShouldBe([4, 2, 1, 1, 1]);
        run.Sink.Segments.Outstanding.ShouldBe(0);
    }

    [Theory]
    [InlineData(400, "illegal_argument_exception")]
    [InlineData(401, "security_exception")]
    [InlineData(403, "security_exception")]
    [InlineData(404, "index_not_found_exception")]
    [InlineData(405, "method_not_allowed")]
    [InlineData(301, "moved")]
    public async Task Complete_WholeRequestRefused_IsRefusedImmediately(int status, string type)
    {
        await using SinkRun run = await SinkRun.StartAsync([new FaultRule { Fault = ServerFault.Answer, Status = status, Type = type, Reason = "because" }]);

        DocumentsResult result = await run.WriteAsync(5);

        result.Status.ShouldBe(SinkStatus.Refused);
        result.Detail!.ShouldStartWith($"Elasticsearch _bulk: {type} ({status}): because. ");
        (await run.Server.HistoryAsync()).Count.ShouldBe(1);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Complete_RequestTooLarge_IsHalvedAndTheNextBatchesAreSmaller(bool gzip)
    {
        await using SinkRun run = await SinkRun.StartAsync(
            change: options => Change(options, gzip: gzip, batchBytes: 1024 * 1024),
            settings: new ServerSettings { MaxContentBytes = gzip ? 8_000 : 300_000 });

        // 3 batches of a megabyte, as configured.
        DocumentsResult result = await run.WriteAsync(300, padding: 10_000);

        result.ShouldBe(new DocumentsResult(SinkStatus.Stored, 300, 0, 0));
        run.Sink.Limits.Bytes.ShouldBeLessThan(1024 * 1024);
        await run.ShouldHoldAsync(300, padding: 10_000);
    }

    [Fact]
    public async Task Complete_OneDocumentTooLarge_RejectsIt()
    {
        await using SinkRun run = await SinkRun.StartAsync(settings: new ServerSettings { MaxContentBytes = 300_000 });
        (await run.WriteAsync(3)).Created.ShouldBe(3);

        DocumentsResult result = await run.WriteAsync(1, padding: 400_000);

        result.ShouldBe(new DocumentsResult(SinkStatus.Stored, 0, 0, 1));
        run.Rejections.All.ShouldHaveSingleItem().Status.ShouldBe(413);
        await run.ShouldHoldAsync(3);
    }

    [Fact]
    public async Task Complete_ConnectionResetWhileSending_ExpectsContinueAtTheNextAttempt()
    {
        await using SinkRun run = await SinkRun.StartAsync([new FaultRule { Fault = ServerFault.ResetBeforeCommit, Last = 2 }]);

        (await run.WriteAsync(200, padding: 10_000)).ShouldBe(new DocumentsResult(SinkStatus.Stored, 200, 0, 0));

        (await run.Server.HistoryAsync()).Select(exchange => exchange.AskedFirst).ShouldBe([false, true, true]);
        await run.ShouldHoldAsync(200, padding: 10_000);
    }

    [Fact]
    public async Task Write_FirstBatchRefused_SendsNoFurtherBatches()
    {
        await using SinkRun run = await SinkRun.StartAsync(
            [new FaultRule { Fault = ServerFault.Answer, Status = 403, Type = "security_exception" }], options => Change(options, documents: 10, inFlight: 1));

        DocumentsResult result = await run.WriteAsync(1_000);

        result.Status.ShouldBe(SinkStatus.Refused);
        (await run.Server.HistoryAsync()).Count.ShouldBeLessThanOrEqualTo(2);
    }

    [Fact]
    public async Task Write_ManyBatches_NeverExceedTheRequestsInFlight()
    {
        await using SinkRun run =
            await SinkRun.StartAsync([new FaultRule { Fault = ServerFault.None, DelayMs = 20 }], options => Change(options, documents: 10, inFlight: 3));

        (await run.WriteAsync(500)).ShouldBe(new DocumentsResult(SinkStatus.Stored, 500, 0, 0));

        IReadOnlyList<BulkExchange> history = await run.Server.HistoryAsync();
        history.Count.ShouldBe(50);
        history.Max(exchange => exchange.InFlight).ShouldBeInRange(2, 3);
        await run.ShouldHoldAsync(500);
    }

    [Fact]
    public async Task Dispose_HangingBatch_CancelsIt()
    {
        await using SinkRun run = await SinkRun.StartAsync([new FaultRule { Fault = ServerFault.HangBeforeCommit }], options => Change(options, documents: 1));
        IDocumentWriter writer = run.Sink.Begin(run.Rejections);
        writer.Open("a"u8);
        "{}"u8.CopyTo(writer.Body.GetSpan(2));
        writer.Body.Advance(2);
        writer.Close();
        (await writer.SendAsync(TestContext.Current.CancellationToken)).ShouldBeTrue();

        await writer.DisposeAsync();

        run.Sink.Segments.Outstanding.ShouldBe(0);
    }

    [Fact]
    public async Task Complete_ServerKilled_IsTransient()
    {
        await using SinkRun run = await SinkRun.StartAsync(change: options => Change(options));
        (await run.WriteAsync(1)).Created.ShouldBe(1);
        run.Server.Process.Kill();
        await run.Server.Process.WaitForExitAsync();

        DocumentsResult result = await run.WriteAsync(5);

        result.Status.ShouldBe(SinkStatus.Transient);
        result.Detail.ShouldStartWith("Elasticsearch _bulk: ConnectionError");
    }

    private static ElasticsearchSinkOptions Change(
        ElasticsearchSinkOptions from, TimeSpan? attempt = null, TimeSpan? total = null, bool gzip = false, int batchBytes = 5 * 1024 * 1024,
        int documents = 10_000, int inFlight = 4) => new()
        {
            Endpoint = from.Endpoint,
            Index = from.Index,
            GzipRequests = gzip,
            MaxBatchBytes = batchBytes,
            MaxBatchDocuments = documents,
            MaxInFlight = inFlight,
            ConnectTimeout = TimeSpan.FromMilliseconds(500),
            AttemptTimeout = attempt ?? from.AttemptTimeout,
            TotalTimeout = total ?? from.TotalTimeout,
        };
}
