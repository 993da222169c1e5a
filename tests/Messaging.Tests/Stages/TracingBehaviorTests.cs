using System.Collections.Concurrent;
using System.Diagnostics;
using Messaging.Tests.Intake;
using Messaging.Tests.Telemetry;
using Quayside.Messaging.Stages;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Building;
using Quayside.Pipeline.Contexts;
using Quayside.Pipeline.Execution;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Stages;

[Collection(SpanCollection.Name)]
public sealed class TracingBehaviorTests
{
    private readonly string _route = $"route-{Guid.NewGuid():n}";
    private readonly ConcurrentQueue<Activity> _spans = new();

    private readonly MessageContext _context;

    public TracingBehaviorTests() => _context = new MessageContext
    {
        Message = new TestMessage { Id = "a\nb", Bytes = new byte[7] },
        Destination = new MessageDestination("aws_sqs", _route),
    };

    [Fact]
    public async Task Invoke_Complete_IsOneSpanWithoutError()
    {
        using ActivityListener listener = Listen();

        await RunAsync(Settlement.Complete);

        Activity span = _spans.ShouldHaveSingleItem();
        span.DisplayName.ShouldBe($"process {_route}");
        span.Kind.ShouldBe(ActivityKind.Consumer);
        span.Status.ShouldBe(ActivityStatusCode.Unset);
        span.GetTagItem("messaging.operation.name").ShouldBe("process");
        span.GetTagItem("messaging.operation.type").ShouldBe("process");
        span.GetTagItem("messaging.system").ShouldBe("aws_sqs");
        span.GetTagItem("messaging.destination.name").ShouldBe(_route);
        span.ParentSpanId.ShouldBe(default);
        span.GetTagItem("messaging.message.id").ShouldBe("a\\u000ab");
        span.GetTagItem("messaging.message.body.size").ShouldBe(7);
        span.GetTagItem("worker.settlement").ShouldBe("Complete");
    }

    [Fact]
    public async Task Invoke_DeadLetter_IsAnErrorWithItsReason()
    {
        using ActivityListener listener = Listen();

        await RunAsync(Settlement.DeadLetter("malformed", "why"));

        Activity span = _spans.ShouldHaveSingleItem();
        span.Status.ShouldBe(ActivityStatusCode.Error);
        span.StatusDescription.ShouldBe("malformed");
        span.GetTagItem("error.type").ShouldBe("malformed");
    }

    [Fact]
    public async Task Invoke_SinkFails_IsAnErrorOfItsKind()
    {
        using ActivityListener listener = Listen();

        await RunAsync(Settlement.Transient("down"));
        await RunAsync(Settlement.Refused("denied"));

        _spans.Select(span => span.Status).ShouldAllBe(status => status == ActivityStatusCode.Error);
        _spans.Select(span => (span.StatusDescription, span.GetTagItem("error.type"))).ShouldBe([("down", "transient"), ("denied", "refused")]);
    }

    [Fact]
    public async Task Invoke_Throws_IsAnErrorAndTheExceptionPropagates()
    {
        using ActivityListener listener = Listen();
        TransientException thrown = new("down");

        (await Record.ExceptionAsync(async () => await RunAsync(default, thrown))).ShouldBeSameAs(thrown);

        Activity span = _spans.ShouldHaveSingleItem();
        span.Status.ShouldBe(ActivityStatusCode.Error);
        span.GetTagItem("error.type").ShouldBe(typeof(TransientException).FullName);
    }

    [Fact]
    public async Task Invoke_SenderHasASpan_ItIsTheParent()
    {
        using ActivityListener listener = Listen();
        ActivityContext sender = SpanRecorder.NewContext();
        _context.Message = new TestMessage { Creation = sender };

        await RunAsync(Settlement.Complete);

        Activity span = _spans.ShouldHaveSingleItem();
        (span.TraceId, span.ParentSpanId, span.HasRemoteParent).ShouldBe((sender.TraceId, sender.SpanId, true));
    }

    [Fact]
    public async Task Invoke_BodyCannotBeRead_IsLeftToTheNextPart()
    {
        using ActivityListener listener = Listen();
        _context.Message = new TestMessage { BodyFailure = new DeadLetterException("unreadable", "It is.") };

        await RunAsync(Settlement.Complete);

        _spans.ShouldHaveSingleItem().GetTagItem("messaging.message.body.size").ShouldBeNull();
    }

    [Fact]
    public async Task Invoke_SpanIsSampledOut_TheChainStillRuns()
    {
        using ActivityListener listener = Listen(ActivitySamplingResult.None);

        await RunAsync(Settlement.Complete);

        _spans.ShouldBeEmpty();
        _context.Settlement.ShouldBe(Settlement.Complete);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Invoke_ListenerThrows_TheOutcomeIsUnchanged(bool atTheStart)
    {
        using BrokenSpanListener listener = new($"process {_route}", atTheStart);
        TransientException thrown = new("down");

        await RunAsync(Settlement.Complete);
        _context.Settlement.ShouldBe(Settlement.Complete);
        (await Record.ExceptionAsync(async () => await RunAsync(default, thrown))).ShouldBeSameAs(thrown);

        listener.Failures.ShouldBe(2);
    }

    [Fact]
    public async Task Invoke_Listened_SpanIsCurrentForInnerPartsAndNotForTheCaller()
    {
        using ActivityListener listener = Listen();
        Activity? before = Activity.Current;
        string? current = null;

        ValueTask running = RunAsync(Settlement.Complete, inside: () => current = Activity.Current?.OperationName);
        Activity.Current.ShouldBeSameAs(before);
        await running;

        current.ShouldBe($"process {_route}");
        Activity.Current.ShouldBeSameAs(before);
    }

    private ValueTask RunAsync(Settlement settlement, Exception? exception = null, Action? inside = null) =>
        new PipelineBuilder<MessageContext>("traced")
            .Behavior(new TracingBehavior(_route))
            .Terminator(new ScriptedEnd(settlement, exception, inside))
            .Build(PipelineForm.Fused)
            .InvokeAsync(_context);

    /// <summary>Other tests trace at the same time, so only spans of this test's route are kept.</summary>
    private ActivityListener Listen(ActivitySamplingResult sampling = ActivitySamplingResult.AllDataAndRecorded)
    {
        ActivityListener listener = new()
        {
            ShouldListenTo = source => source.Name == RouteMetrics.SourceName,
            Sample = (ref ActivityCreationOptions<ActivityContext> options) => options.Name == $"process {_route}" ? sampling : ActivitySamplingResult.None,
            ActivityStopped = span =>
            {
                if (span.OperationName == $"process {_route}")
                {
                    _spans.Enqueue(span);
                }
            },
        };
        ActivitySource.AddActivityListener(listener);
        return listener;
    }

    private sealed class ScriptedEnd(Settlement settlement, Exception? exception, Action? inside) : ITerminator<MessageContext>
    {
        public async ValueTask InvokeAsync(MessageContext context)
        {
            await Task.Yield();
            inside?.Invoke();
            context.Settlement = settlement;
            if (exception is not null)
            {
                throw exception;
            }
        }
    }
}
