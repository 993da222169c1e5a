using System.Diagnostics;
using System.Text;
using Messaging.Tests.Intake;
using Messaging.Tests.Telemetry;
using Microsoft.Extensions.Logging.Abstractions;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.Aws.S3.Sink;
using Quayside.Messaging.Intake;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Sources;
using Quayside.Messaging.Stages;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Building;
using Quayside.Pipeline.Contexts;
using Quayside.Pipeline.Execution;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Stages;

/// <summary>In every form, the spans of a message's work are children of its span, although messages share threads and wait for each other.</summary>
[Collection(SpanCollection.Name)]
public sealed class TracedFormsTests
{
    private const int Messages = 100;

    public static TheoryData<string> Forms => [.. PipelineForm.All.Select(form => form.Name)];

    [Theory]
    [MemberData(nameof(Forms))]
    public async Task Run_MessagesInterleave_PutAndSettlementAreChildrenOfTheirOwnSpan(string form)
    {
        PipelineForm.TryParse(form, out PipelineForm? found).ShouldBeTrue();
        using SpanRecorder spans = new();
        string route = $"orders-{form}";
        RecoverabilityOptions recoverability = new();
        CircuitBreaker breaker = new(route, recoverability, TimeProvider.System, NullLogger.Instance);

        await using S3Sink sink =
            new(new S3SinkOptions { Bucket = "archive" }, new SlowRequests(), new SinkServices { Services = null! });
        IPipeline<MessageContext> pipeline = new PipelineBuilder<MessageContext>(route)
            .Behavior(new TracingBehavior(route))
            .Behavior(new SuspendingBehavior())
            .Step(new SuspendingStep())
            .Behavior(new RetryBehavior<MessageContext>(recoverability, breaker, TimeProvider.System))
            .Terminator(new StoringTerminator(sink))
            .Build(found);
        await using MessageIntake intake = IntakeFixture.Open(route, "sqs", pipeline, recoverability, breaker, concurrency: 16);
        TestMessage[] messages =
            [.. Enumerable.Range(0, Messages).Select(number => new TestMessage { Id = $"{form}-{number}", Creation = SpanRecorder.NewContext() })];
        foreach (TestMessage message in messages)
        {
            using SlotLease slot = await intake.ReserveAsync(1, 1, CancellationToken.None);
            slot.Accept(message);
        }

        await intake.DrainAsync(CancellationToken.None).WaitAsync(TestMessage.WaitLimit);

        foreach (TestMessage message in messages)
        {
            Activity process = spans.In(message.Creation, $"process {route}").ShouldHaveSingleItem();
            process.ParentSpanId.ShouldBe(message.Creation.SpanId);
            process.GetTagItem("messaging.message.id").ShouldBe(message.Id);
            Activity put = spans.In(message.Creation, "S3.PutObject").ShouldHaveSingleItem();
            put.ParentSpanId.ShouldBe(process.SpanId);
            put.Kind.ShouldBe(ActivityKind.Client);
            put.TagObjects.ShouldBe(
                [
                    new("rpc.system", "aws-api"), new("rpc.service", "S3"), new("rpc.method", "PutObject"), new("aws.s3.bucket", "archive"),
                    new("aws.s3.key", message.Id), new("aws.request_id", $"request-{message.Id}"), new("http.response.status_code", 200),
                ],
                ignoreOrder: true);
            Activity settle = spans.In(message.Creation, $"settle {route}").ShouldHaveSingleItem();
            settle.ParentSpanId.ShouldBe(process.SpanId);
            settle.Kind.ShouldBe(ActivityKind.Client);
            settle.GetTagItem("messaging.message.id").ShouldBe(message.Id);
            settle.GetTagItem("messaging.system").ShouldBe("sqs");
        }
    }

    private sealed class SuspendingStep : IStep<MessageContext>
    {
        public async ValueTask<StepOutcome> BeforeAsync(MessageContext context)
        {
            await Task.Yield();
            return StepOutcome.Continue;
        }

        public async ValueTask AfterAsync(MessageContext context) => await Task.Yield();
    }

    private sealed class SuspendingBehavior : IBehavior<MessageContext, MessageContext>
    {
        public async ValueTask InvokeAsync(MessageContext context, Next<MessageContext> next)
        {
            await Task.Yield();
            await next.InvokeAsync(context);
            await Task.Yield();
        }
    }

    private sealed class StoringTerminator(S3Sink sink) : ITerminator<MessageContext>
    {
        public async ValueTask InvokeAsync(MessageContext context)
        {
            (await sink.StoreAsync(context.Message.SourceId, context.Message.Body, context.CancellationToken)).Status.ShouldBe(SinkStatus.Stored);
            context.Settlement = Settlement.Complete;
        }
    }

    private sealed class SlowRequests : IS3Requests
    {
        public async ValueTask<S3Fault> PutAsync(
            ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, ObjectProperties? properties, TimeSpan limit, CancellationToken cancellationToken)
        {
            await Task.Yield();
            return S3Fault.Success(200, $"request-{Encoding.UTF8.GetString(key.Span)}");
        }

        public ValueTask<(S3Fault Fault, string Operation, bool Same)> CompareAsync(
            ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, TimeSpan limit, CancellationToken cancellationToken) =>
            throw new NotSupportedException();

        public ValueTask<S3Fault> ListAsync(TimeSpan limit, CancellationToken cancellationToken) => throw new NotSupportedException();

        public void Dispose()
        {
        }
    }
}
