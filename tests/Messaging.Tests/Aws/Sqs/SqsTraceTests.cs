using System.Diagnostics;
using System.Text.Json.Nodes;
using Messaging.Tests.Telemetry;
using Quayside.Messaging.Aws.Sqs;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Aws.Sqs;

/// <summary>Trace contexts out of a queue, and the spans of its calls.</summary>
[Collection(OneThreadCollection.Name)]
public sealed class SqsTraceTests
{
    private const string XRay = "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1";

    public static TheoryData<string?, string?, string> Contexts => new()
    {
        { null, null, "none" },
        { "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", null, "0af7651916cd43dd8448eb211c80319c b7ad6b7169203331 Recorded" },
        { "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00", XRay, "0af7651916cd43dd8448eb211c80319c b7ad6b7169203331 None" },
        { null, XRay, "5759e988bd862e3fe1be46a994272793 53995c3f42cd8ad8 Recorded" },
        { "malformed", XRay, "5759e988bd862e3fe1be46a994272793 53995c3f42cd8ad8 Recorded" },
        { null, "Parent=53995c3f42cd8ad8;Sampled=0;Root=1-5759e988-bd862e3fe1be46a994272793;Lineage=a:1",
            "5759e988bd862e3fe1be46a994272793 53995c3f42cd8ad8 None" },
        { null, "Root=1-5759e988-bd862e3fe1be46a994272793", "none" },
        { null, "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=zz;Sampled=1", "none" },
        { null, "Root=;Parent==;;", "none" },
        { null, new string('=', 5_000), "none" },
        { new string('0', 100_000), null, "none" },
    };

    [Theory]
    [MemberData(nameof(Contexts))]
    public async Task Receive_AttributeOrHeader_IsTheCreationContext(string? traceParent, string? header, string expected)
    {
        await using SqsRun run = SqsRun.Create();
        FakeMessage message = FakeMessage.New("a") with { TraceHeader = header, Attributes = traceParent is null ? null : Attributes(traceParent) };

        Delivery delivery = (await run.BeginWithAsync(message)).Single();

        ActivityContext context = delivery.Message.CreationContext;
        (context == default ? "none" : $"{context.TraceId} {context.SpanId} {context.TraceFlags}").ShouldBe(expected);
        await delivery.SettleAsync(Settlement.Complete);
        await run.PassUntilSettledAsync();
        await run.EndAsync();
    }

    [Fact]
    public async Task Receive_ReusedObject_HasNothingOfThePreviousMessage()
    {
        using SpanRecorder spans = new();
        await using SqsRun run = SqsRun.Create();
        ActivityContext first = SpanRecorder.NewContext();
        Delivery before = (await run.BeginWithAsync(Traced("a", first))).Single();
        using (Activity span = new Activity("process").Start())
        {
            before.Message.Span = span;
        }

        await before.SettleAsync(Settlement.Complete);
        await run.PassUntilSettledAsync();

        // The next receive had taken its objects before this one was free.
        Delivery after;
        int others = 0;
        do
        {
            run.Queue.DeliverAll([FakeMessage.New("b")]);
            after = (await run.TakeAsync(1)).Single();
            after.Message.Span.ShouldBeNull();
            after.Message.CreationContext.ShouldBe(default);
            await after.SettleAsync(Settlement.Complete);
            await run.PassUntilSettledAsync();
        }
        while (!ReferenceEquals(after.Message, before.Message) && ++others < 20);

        after.Message.ShouldBeSameAs(before.Message);
        await run.EndAsync();
    }

    [Fact]
    public async Task Receive_Batch_IsOneSpanThatLinksToTheSenders()
    {
        using SpanRecorder spans = new();
        await using SqsRun run = SqsRun.Create();
        ActivityContext[] senders = [SpanRecorder.NewContext(), SpanRecorder.NewContext()];

        Delivery[] deliveries = await run.BeginWithAsync([Traced("a", senders[0]), Traced("b", senders[1]), FakeMessage.New("c")]);

        Activity receive = spans.LinkedTo(senders[0], "receive orders").ShouldHaveSingleItem();
        receive.Links.Select(link => link.Context.SpanId).ShouldBe(senders.Select(sender => sender.SpanId));
        receive.Kind.ShouldBe(ActivityKind.Client);
        receive.ParentSpanId.ShouldBe(default);
        Tags(receive).ShouldBe(
            "messaging.operation.name=receive messaging.operation.type=receive messaging.system=aws_sqs messaging.destination.name=orders "
                + "messaging.batch.message_count=3");
        foreach (Delivery delivery in deliveries)
        {
            await delivery.SettleAsync(Settlement.Complete);
        }

        await run.PassUntilSettledAsync();
        await run.EndAsync();
    }

    [Fact]
    public async Task Receive_Refused_IsAFailedSpan()
    {
        using SpanRecorder spans = new();
        string name = $"refused-{Guid.NewGuid():n}";
        await using SqsRun run = SqsRun.Create(options: SqsRun.Options(name));
        run.Queue.Script = call => call.Operation == "ReceiveMessage" ? QueueAnswer.InternalError : null;
        await run.StartAsync();

        await SqsRun.WaitAsync(() => spans.Spans.Any(span => span.OperationName == $"receive {name}"), "The failure has no span.");

        Activity receive = spans.Spans.First(span => span.OperationName == $"receive {name}");
        receive.Status.ShouldBe(ActivityStatusCode.Error);
        receive.GetTagItem("error.type").ShouldBe("InternalError");
        await run.EndAsync();
    }

    [Fact]
    public async Task Complete_OneMessage_SettleIsAChildOfItsSpan()
    {
        using SpanRecorder spans = new();
        await using SqsRun run = SqsRun.Create();
        Delivery delivery = (await run.BeginWithAsync(FakeMessage.New("a"))).Single();
        ActivityContext process = Process(delivery);

        await delivery.SettleAsync(Settlement.Complete);
        await run.PassUntilSettledAsync();

        Activity settle = spans.In(process, "settle orders").ShouldHaveSingleItem();
        settle.ParentSpanId.ShouldBe(process.SpanId);
        settle.Kind.ShouldBe(ActivityKind.Client);
        settle.Status.ShouldBe(ActivityStatusCode.Unset);
        Tags(settle).ShouldBe(
            "messaging.operation.name=settle messaging.operation.type=settle messaging.system=aws_sqs messaging.destination.name=orders messaging.message.id=a "
                + "messaging.batch.message_count=1");
        await run.EndAsync();
    }

    [Fact]
    public async Task Complete_Batch_SettleLinksToEachSpan()
    {
        using SpanRecorder spans = new();
        await using SqsRun run = SqsRun.Create(
            options: new SqsSourceOptions { Queue = "orders", AcknowledgeDelay = TimeSpan.FromSeconds(5), VisibilityTimeout = TimeSpan.FromSeconds(30) });
        Delivery[] deliveries = await run.BeginWithAsync(FakeMessage.Many(10));
        ActivityContext[] processes = [.. deliveries.Select(Process)];

        foreach (Delivery delivery in deliveries)
        {
            await delivery.SettleAsync(Settlement.Complete);
        }

        await run.PassUntilSettledAsync();

        Activity settle = spans.LinkedTo(processes[0], "settle orders").ShouldHaveSingleItem();
        settle.Links.Select(link => link.Context.SpanId).ShouldBe(processes.Select(process => process.SpanId), ignoreOrder: true);
        settle.ParentSpanId.ShouldBe(default);
        settle.GetTagItem("messaging.batch.message_count").ShouldBe(10);
        await run.EndAsync();
    }

    [Fact]
    public async Task Abandon_CallFails_SettleIsAFailedSpan()
    {
        using SpanRecorder spans = new();
        await using SqsRun run = SqsRun.Create();
        Delivery delivery = (await run.BeginWithAsync(FakeMessage.New("a"))).Single();
        ActivityContext process = Process(delivery);
        run.Queue.Script = call => call.Operation == "ChangeMessageVisibilityBatch" ? QueueAnswer.InternalError : null;

        await delivery.SettleAsync(Settlement.Abandon(TimeSpan.FromSeconds(1)));
        await run.PassUntilAsync(() => spans.In(process, "settle orders").Count >= 3, "Each attempt has a span.");

        spans
            .In(process, "settle orders")
            .ShouldAllBe(settle => settle.Status == ActivityStatusCode.Error && (string?)settle.GetTagItem("error.type") == "InternalError");
        run.Queue.Script = _ => null;
        await run.EndAsync();
    }

    private static FakeMessage Traced(string name, ActivityContext sender) =>
        FakeMessage.New(name) with { Attributes = Attributes(SpanRecorder.TraceParent(sender)) };

    private static JsonObject Attributes(string traceParent) => new()
    {
        ["other"] = new JsonObject { ["DataType"] = "String", ["StringValue"] = "x" },
        ["traceparent"] = new JsonObject { ["DataType"] = "String", ["StringValue"] = traceParent },
    };

    /// <summary>Does the work of the chain's tracing step.</summary>
    private static ActivityContext Process(Delivery delivery)
    {
        using Activity span = new Activity("process").SetIdFormat(ActivityIdFormat.W3C).Start();
        span.ActivityTraceFlags = ActivityTraceFlags.Recorded;
        span.SetTag("messaging.message.id", "a");
        delivery.Message.Span = span;
        return span.Context;
    }

    private static string Tags(Activity span) => string.Join(' ', span.TagObjects.Select(tag => $"{tag.Key}={tag.Value}"));
}
