using System.Text;
using Integration.Tests.Processes;
using Integration.Tests.Servers;
using Integration.Tests.Worker;

namespace Integration.Tests.Telemetry;

/// <summary>Traces and metrics as a collector gets them from a worker and a <c>publish</c> that run as processes.</summary>
public sealed class TraceTests(AwsServer aws, RealS3 realS3)
{
    [Fact]
    public async Task Publish_ToSqs_IsOneTraceFromSendToSettle()
    {
        AwsEndpoint endpoint = await aws.RequireAsync();
        using SqsQueue deadLetters = await SqsQueue.CreateAsync(endpoint);
        using SqsQueue queue = await SqsQueue.CreateAsync(endpoint, deadLetters: deadLetters);
        await using SinkUnderTest sink = await SinkUnderTest.CreateAsync(SinkKind.Fauxqs, aws, realS3);
        await using OtlpReceiver collector = await OtlpReceiver.StartAsync();
        string[] sqs = [.. RunningWorker.SqsArguments(endpoint, queue)];
        await using RunningWorker worker = await RunningWorker.StartAsync([.. sqs, .. sink.Arguments], collector.Environment);

        WorkerCommand publish = await WorkerCommand.RunAsync(["publish", "--to", "sqs", "--count", "1", .. sqs], collector.Environment);
        publish.ExitCode.ShouldBe(0, publish.Text);

        OtlpSpan send = (await collector.WaitForAsync($"send {queue.Name}")).ShouldHaveSingleItem();
        ShouldBeMessaging(send, OtlpSpan.Producer, "send", "aws_sqs", queue.Name);
        send.ParentId.ShouldBeEmpty();
        OtlpSpan receive = (await collector.WaitForAsync($"receive {queue.Name}")).ShouldHaveSingleItem();
        ShouldBeMessaging(receive, OtlpSpan.Client, "receive", "aws_sqs", queue.Name);
        receive.Links.ShouldBe([send.SpanId]);
        receive.Attributes["messaging.batch.message_count"].ShouldBe("1");
        OtlpSpan process = await ShouldBeWholeAsync(collector, send, "aws_sqs", queue.Name);
        process.Attributes["messaging.message.id"].ShouldNotBeNullOrEmpty();
        int.Parse(process.Attributes["messaging.message.body.size"]).ShouldBeGreaterThan(0);
    }

    [Fact]
    public async Task Publish_OverHttp_IsOneTraceFromSendToSettleAndLogsCarryIt()
    {
        await using SinkUnderTest sink = await SinkUnderTest.CreateAsync(SinkKind.FaultyS3, aws, realS3);
        await using OtlpReceiver collector = await OtlpReceiver.StartAsync();
        await using RunningWorker worker =
            await RunningWorker.StartAsync(["--Routes:archive:Source=Http", "--Logging:Console:FormatterName=json", .. sink.Arguments], collector.Environment);

        WorkerCommand publish =
            await WorkerCommand.RunAsync(["publish", "--to", "http", "--route", "archive", "--count", "1", $"--url={worker.Url}"], collector.Environment);
        publish.ExitCode.ShouldBe(0, publish.Text);

        OtlpSpan send = (await collector.WaitForAsync("send archive")).ShouldHaveSingleItem();
        ShouldBeMessaging(send, OtlpSpan.Producer, "send", "http", "archive");
        await ShouldBeWholeAsync(collector, send, "http", "archive");

        const string Trace = "0af7651916cd43dd8448eb211c80319c";
        using HttpClient caller = new();
        using HttpRequestMessage poison =
            new(HttpMethod.Post, new Uri(worker.Url, "/messages")) { Content = new StringContent("no JSON", Encoding.UTF8, "application/json") };
        poison.Headers.Add("traceparent", $"00-{Trace}-b7ad6b7169203331-01");
        ((int)(await caller.SendAsync(poison)).StatusCode).ShouldBe(422);
        OtlpSpan failed = (await collector.WaitForAsync("process archive", where: span => span.TraceId == Trace)).ShouldHaveSingleItem();
        (failed.ParentId, failed.Status).ShouldBe(("b7ad6b7169203331", 2));
        failed.Attributes["error.type"].ShouldBe("malformed-json");
        CapturedLine line = await worker.Process.WaitForLineAsync("is dead-lettered");
        line.Text.ShouldContain($"\"TraceId\":\"{Trace}\"");
        line.Text.ShouldContain($"\"SpanId\":\"{failed.SpanId}\"");

        await Eventually.BecomesTrueAsync(
            () => collector.Metrics.Contains("messaging.client.consumed.messages") && collector.Metrics.Contains("dotnet.gc.collections"),
            "the worker's metrics and the runtime's");
    }

    [Fact]
    public async Task Variables_OfOneSignal_TakePrecedenceOverThoseOfAll()
    {
        await using OtlpReceiver collector = await OtlpReceiver.StartAsync();
        Dictionary<string, string> environment = new(collector.Environment, StringComparer.Ordinal)
        {
            ["OTEL_EXPORTER_OTLP_PROTOCOL"] = "grpc",
            ["OTEL_EXPORTER_OTLP_HEADERS"] = "signal=all",
            ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] = $"{collector.Url}/own/traces",
            ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"] = "http/protobuf",
            ["OTEL_EXPORTER_OTLP_TRACES_HEADERS"] = "signal=traces",
            ["OTEL_EXPORTER_OTLP_METRICS_PROTOCOL"] = "http/protobuf",
        };
        await using RunningWorker worker = await RunningWorker.StartAsync(["--Routes:archive:Source=Http", "--Routes:archive:Sink=Memory"], environment);
        await worker.PostAsync("{}"u8.ToArray());

        await collector.WaitForAsync("process archive");
        await Eventually.BecomesTrueAsync(() => collector.Metrics.Contains("messaging.client.consumed.messages"), "the worker's metrics");
        collector.Requests.Distinct().ShouldBe([("/own/traces", "traces"), ("/v1/metrics", "all")], ignoreOrder: true);
    }

    [Theory]
    [InlineData("METRICS")]
    [InlineData("TRACES")]
    public async Task Endpoint_OfOneSignalOnly_ExportsThatSignalThere(string signal)
    {
        await using OtlpReceiver collector = await OtlpReceiver.StartAsync();
        Dictionary<string, string> environment = new(collector.Environment, StringComparer.Ordinal);
        environment.Remove("OTEL_EXPORTER_OTLP_ENDPOINT");
        environment.Remove("OTEL_EXPORTER_OTLP_PROTOCOL");
        string path = $"/own/{signal.ToLowerInvariant()}";
        environment[$"OTEL_EXPORTER_OTLP_{signal}_ENDPOINT"] = collector.Url + path;
        environment[$"OTEL_EXPORTER_OTLP_{signal}_PROTOCOL"] = "http/protobuf";
        await using RunningWorker worker = await RunningWorker.StartAsync(["--Routes:archive:Source=Http", "--Routes:archive:Sink=Memory"], environment);
        await worker.PostAsync("{}"u8.ToArray());

        await Eventually.BecomesTrueAsync(() => collector.Requests.Count > 0, "a request to the collector");
        (await worker.StopAsync()).ShouldBe(0);

        collector.Requests.Distinct().ShouldBe([(path, "")]);
    }

    [Theory]
    [InlineData("http://127.0.0.1:1", "Connection refused")]
    [InlineData("garbage", "invalid value")]
    public async Task Collector_Unreachable_IsLoggedAndDelaysNothing(string endpoint, string problem)
    {
        Dictionary<string, string> environment =
            new(StringComparer.Ordinal) { ["OTEL_EXPORTER_OTLP_ENDPOINT"] = endpoint, ["OTEL_METRIC_EXPORT_INTERVAL"] = "100" };
        await using RunningWorker worker = await RunningWorker.StartAsync(["--Routes:archive:Source=Http", "--Routes:archive:Sink=Memory"], environment);

        CapturedLine line = await worker.Process.WaitForLineAsync(@"\[1109\]");

        line.Text.ShouldContain(problem);
        (await worker.StopAsync()).ShouldBe(0);
    }

    private static List<string> Linked(OtlpReceiver collector, string name) =>
        [.. collector.Spans.Where(span => span.Name == name).SelectMany(span => span.ParentId.Length > 0 ? [span.ParentId] : span.Links)];

    /// <summary>The spans of one message: processing is a child of the send, store and settlement are children of processing.</summary>
    private static async Task<OtlpSpan> ShouldBeWholeAsync(OtlpReceiver collector, OtlpSpan send, string system, string destination)
    {
        OtlpSpan process = (await collector.WaitForAsync($"process {destination}")).ShouldHaveSingleItem();
        ShouldBeMessaging(process, OtlpSpan.Consumer, "process", system, destination);
        (process.TraceId, process.ParentId).ShouldBe((send.TraceId, send.SpanId));
        OtlpSpan put = (await collector.WaitForAsync("S3.PutObject")).ShouldHaveSingleItem();
        (put.TraceId, put.ParentId, put.Kind, put.Status).ShouldBe((send.TraceId, process.SpanId, OtlpSpan.Client, 0));
        foreach (string name in (ReadOnlySpan<string>)[
            "rpc.system", "rpc.service", "rpc.method", "aws.s3.bucket", "aws.s3.key", "aws.request_id", "http.response.status_code"])
        {
            put.Attributes.ShouldContainKey(name);
        }

        OtlpSpan settle = (await collector.WaitForAsync($"settle {destination}")).ShouldHaveSingleItem();
        ShouldBeMessaging(settle, OtlpSpan.Client, "settle", system, destination);
        (settle.TraceId, settle.ParentId, settle.Status).ShouldBe((send.TraceId, process.SpanId, 0));
        return process;
    }

    private static void ShouldBeMessaging(OtlpSpan span, int kind, string operation, string system, string destination)
    {
        span.Kind.ShouldBe(kind);
        span.Attributes["messaging.operation.name"].ShouldBe(operation);
        span.Attributes["messaging.operation.type"].ShouldBe(operation);
        span.Attributes["messaging.system"].ShouldBe(system);
        span.Attributes["messaging.destination.name"].ShouldBe(destination);
    }
}
