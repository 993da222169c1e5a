using System.Diagnostics;
using Messaging.Tests.Handlers;
using Messaging.Tests.Handlers.Batches;
using Messaging.Tests.Intake;
using Messaging.Tests.Sinks.Bundles;
using Quayside.Messaging.Publishing;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Telemetry;

/// <summary>Spans across the parts of a route: from the publisher to the settlement, and for several messages together.</summary>
[Collection(OneThreadCollection.Name)]
public sealed class RouteSpansTests
{
    [Fact]
    public async Task Publish_IntoAChannel_TheMessagesSpanIsAChildOfThePublishers()
    {
        using SpanRecorder spans = new();
        ScriptedBatchHandler handler = new(BatchCollectionTests.CompleteAsync);
        await using HandlerRoute route = await BatchCollectionTests.StartAsync(handler, "Handlers:Orders:MaxMessages=1");
        using Activity publisher = Recorded("publisher");

        await route.PublishAsync(BatchCollectionTests.BodyOf("a"), "a");
        await HandlerRoute.UntilAsync(() => spans.In(publisher.Context, "settle orders").Count == 1);

        Activity process = spans.In(publisher.Context, "process orders").ShouldHaveSingleItem();
        process.ParentSpanId.ShouldBe(publisher.SpanId);
        process.GetTagItem("messaging.system").ShouldBe("channel");
        spans.In(publisher.Context, "settle orders").Single().ParentSpanId.ShouldBe(process.SpanId);
    }

    [Fact]
    public async Task Handle_Batch_IsASpanThatLinksToTheMessagesAndIsCurrent()
    {
        using SpanRecorder spans = new();
        Activity? current = null;
        ScriptedBatchHandler handler = new(async (batch, token) =>
        {
            await Task.Yield();
            current = Activity.Current;
            await BatchCollectionTests.CompleteAsync(batch, token);
        });
        await using HandlerRoute route = await BatchCollectionTests.StartAsync(handler, "Handlers:Orders:MaxMessages=3");
        using Activity publisher = Recorded("publisher");

        foreach (string id in (string[])["a", "b", "c"])
        {
            await route.PublishAsync(BatchCollectionTests.BodyOf(id), id);
        }

        await HandlerRoute.UntilAsync(() => spans.In(publisher.Context, "process orders").Count == 3);

        Activity batch = current.ShouldNotBeNull();
        batch.OperationName.ShouldBe("process orders");
        batch.Kind.ShouldBe(ActivityKind.Consumer);
        batch.ParentSpanId.ShouldBe(default);
        batch.GetTagItem("messaging.batch.message_count").ShouldBe(3);
        batch.Links.Select(link => link.Context.SpanId).ShouldBe(spans.In(publisher.Context, "process orders").Select(span => span.SpanId), ignoreOrder: true);
    }

    [Fact]
    public async Task Handle_BatchThrows_ItsSpanHasFailed()
    {
        using SpanRecorder spans = new();
        ScriptedBatchHandler handler = new((_, _) => throw new TransientException("down"));
        await using HandlerRoute route = await BatchCollectionTests.StartAsync(handler, "Handlers:Orders:MaxMessages=1");
        using Activity publisher = Recorded("publisher");

        await route.PublishAsync(BatchCollectionTests.BodyOf("a"), "a");
        Activity? batch = null;
        await HandlerRoute.UntilAsync(
            () => (batch = spans.Spans.FirstOrDefault(span => span.Links.Any(link => link.Context.TraceId == publisher.TraceId))) is not null);

        batch!.GetTagItem("error.type").ShouldBe(typeof(TransientException).FullName);
    }

    [Fact]
    public async Task Store_Bundle_TheCallLinksToEveryMessageRepeatsIncluded()
    {
        using SpanRecorder spans = new();
        await using BundleFixture bundles = new(maxMessages: 3);
        Activity? put = null;
        bundles.Inner.Rule = _ =>
        {
            using (put = MessageSpans.StartCall("S3.PutObject", []))
            {
                return Quayside.Messaging.Sinks.SinkResult.Stored;
            }
        };
        List<ActivityContext> messages = [];

        await Task.WhenAll(((string[])["p/a", "p/b", "p/b"]).Select(async key =>
        {
            using Activity message = Recorded(key);
            messages.Add(message.Context);
            await bundles.StoreAsync(key);
        }));

        put.ShouldNotBeNull().Links.Select(link => link.Context.SpanId).ShouldBe(messages.Select(message => message.SpanId), ignoreOrder: true);
        put.ParentSpanId.ShouldBe(default);
    }

    [Fact]
    public async Task Settle_Poison_IsLoggedWithItsTrace()
    {
        using SpanRecorder spans = new();
        ActivityContext sender = SpanRecorder.NewContext();
        Activity? processing = null;
        await using IntakeFixture fixture = new(context =>
        {
            using (processing = new Activity("process").SetParentId(sender.TraceId, sender.SpanId).Start())
            {
                context.Message.Span = processing;
            }

            context.Settlement = Settlement.DeadLetter("malformed", "why");
            return default;
        });

        await fixture.RunAsync();
        await fixture.DrainAsync();

        fixture.Logger.Scopes.ShouldHaveSingleItem().ShouldBe($"SpanId:{processing!.SpanId}, TraceId:{sender.TraceId}");
    }

    [Fact]
    public async Task Settle_Throws_ItsSpanHasFailedAndTheSlotIsFree()
    {
        using SpanRecorder spans = new();
        ActivityContext trace = default;
        await using IntakeFixture fixture = new(context =>
        {
            using Activity processing = Recorded("process");
            trace = processing.Context;
            context.Message.Span = processing;
            context.Settlement = Settlement.Complete;
            return default;
        });

        await fixture.RunAsync(new TestMessage { OnSettle = () => ValueTask.FromException(new IOException("gone")) });
        await fixture.DrainAsync();

        Activity settle = spans.In(trace, "settle test").ShouldHaveSingleItem();
        settle.GetTagItem("error.type").ShouldBe(typeof(IOException).FullName);
    }

    [Theory]
    [InlineData(null)]
    [InlineData("no")]
    public async Task Send_ThroughTheCatalogsSender_IsAProducerSpanThatIsCurrent(string? error)
    {
        using SpanRecorder spans = new();
        using Activity command = Recorded("command");
        ScriptedSender sender = new(error);
        using TracedSender traced = new(sender, "sqs");

        (await traced.SendAsync([new OutgoingMessage("a", default), new OutgoingMessage("b", default)], CancellationToken.None)).ShouldBe([error, error]);

        Activity span = spans.In(command.Context, "send orders").ShouldHaveSingleItem();
        span.Kind.ShouldBe(ActivityKind.Producer);
        sender.Current.ShouldBeSameAs(span);
        span.GetTagItem("messaging.system").ShouldBe("aws_sqs");
        span.GetTagItem("messaging.operation.type").ShouldBe("send");
        span.GetTagItem("messaging.batch.message_count").ShouldBe(2);
        span.GetTagItem("error.type").ShouldBe(error is null ? null : "_OTHER");
        Activity.Current.ShouldBeSameAs(command);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Send_ListenerThrows_TheMessageIsSent(bool atTheStart)
    {
        string destination = $"orders-{Guid.NewGuid():n}";
        using BrokenSpanListener listener = new($"send {destination}", atTheStart);
        using TracedSender traced = new(new ScriptedSender(error: null, destination), "sqs");

        (await traced.SendAsync([new OutgoingMessage("a", default)], CancellationToken.None)).ShouldHaveSingleItem().ShouldBeNull();

        listener.Failures.ShouldBe(1);
    }

    [Fact]
    public void End_ListenerThrows_TheEndedSpanIsNotCurrent()
    {
        string name = $"call-{Guid.NewGuid():n}";
        using BrokenSpanListener listener = new(name, atTheStart: false);
        Activity? span = MessageSpans.StartCall(name, []);
        Activity.Current.ShouldNotBeNull().ShouldBeSameAs(span);

        MessageSpans.End(span);

        Activity.Current.ShouldNotBeSameAs(span);
        listener.Failures.ShouldBe(1);
    }

    private static Activity Recorded(string name)
    {
        Activity span = new Activity(name).SetIdFormat(ActivityIdFormat.W3C).Start();
        span.ActivityTraceFlags = ActivityTraceFlags.Recorded;
        return span;
    }

    private sealed class ScriptedSender(string? error, string destination = "orders") : IMessageSender
    {
        public Activity? Current { get; private set; }

        public string Target => destination;

        public MessageDestination? Destination => new("aws_sqs", destination);

        public string Accepted => "sent to";

        public int Concurrency => 1;

        public int BatchSize => 10;

        public Task<string?[]> SendAsync(IReadOnlyList<OutgoingMessage> messages, CancellationToken cancellationToken)
        {
            Current = Activity.Current;
            return Task.FromResult<string?[]>([.. messages.Select(_ => error)]);
        }

        public void Dispose()
        {
        }
    }
}
