using Pipeline.Tests.Parts;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Execution;

namespace Pipeline.Tests.Execution;

/// <summary>Cancellation: a token that is cancelled beforehand keeps the chain from starting; after the start only the parts observe the token.</summary>
public abstract partial class PipelineFormContract
{
    [Fact]
    public async Task Invoke_TokenCancelledBefore_NoPartRuns()
    {
        OuterContext context = new() { CancellationToken = new CancellationToken(canceled: true) };
        IPipeline<OuterContext> pipeline = ChainBuilding.Chain()
            .Steps(Part.Step("a"))
            .Behavior(Part.Outer("b"))
            .End(Form, Part.Terminator());

        Exception? exception = await pipeline.RunAsync(context);

        exception.ShouldBeAssignableTo<OperationCanceledException>()!.CancellationToken.ShouldBe(context.CancellationToken);
        context.Trace.ShouldBeEmpty();
    }

    [Theory]
    [MemberData(nameof(Timings))]
    public async Task Invoke_CancelledInTheMiddle_PartsObserveTheToken(Timing timing)
    {
        using CancellationTokenSource source = new();
        OuterContext context = new() { CancellationToken = source.Token };
        IPipeline<OuterContext> pipeline = ChainBuilding.Chain()
            .Steps(
                Part.Step("a", timing),
                new ScriptedStep("b") { Timing = timing, Before = _ => source.Cancel() },
                new ScriptedStep("c") { Timing = timing, Before = own => own.CancellationToken.ThrowIfCancellationRequested() })
            .End(Form, Part.Terminator(timing));

        Exception? exception = await pipeline.RunAsync(context);

        exception.ShouldBeAssignableTo<OperationCanceledException>()!.CancellationToken.ShouldBe(source.Token);
        context.ToString().ShouldStartWith("a> b> c> b!(");
        context.Trace.ShouldNotContain("t");
    }

    [Theory]
    [MemberData(nameof(Timings))]
    public async Task Invoke_CancelledInTheMiddleAndNotObserved_RunsToTheEnd(Timing timing)
    {
        using CancellationTokenSource source = new();
        OuterContext context = new() { CancellationToken = source.Token };
        IPipeline<OuterContext> pipeline = ChainBuilding.Chain()
            .Steps(new ScriptedStep("a") { Timing = timing, Before = _ => source.Cancel() }, Part.Step("b", timing))
            .Connector(Part.Connector("c"))
            .InnerSteps(Part.Step("d", timing))
            .EndInner(Form, Part.Terminator(timing));

        (await pipeline.RunAsync(context)).ShouldBeNull();

        context.ToString().ShouldBe("a> b> c( d> t <d )c <b <a");
    }

    [Theory]
    [MemberData(nameof(Timings))]
    public async Task Invoke_OperationCanceledExceptionOfAPartsOwn_IsAnExceptionLikeAnyOther(Timing timing)
    {
        OuterContext context = new();
        IPipeline<OuterContext> pipeline = ChainBuilding.Chain()
            .Steps(Part.Step("a", timing), new ScriptedStep("b") { Timing = timing, OnError = _ => ErrorOutcome.Handled }, Part.Step("c", timing))
            .End(Form, Part.Terminator(timing, _ => throw new OperationCanceledException("x")));

        (await pipeline.RunAsync(context)).ShouldBeNull();

        context.ToString().ShouldBe("a> b> c> t c!(x) b!(x) <a");
    }

    [Fact]
    public async Task Invoke_TokenCancelledWhileTheTailWaits_TheWaitEnds()
    {
        using CancellationTokenSource source = new();
        OuterContext context = new() { CancellationToken = source.Token };
        TaskCompletionSource reached = new(TaskCreationOptions.RunContinuationsAsynchronously);
        IPipeline<OuterContext> pipeline = ChainBuilding.Chain()
            .Steps(Part.Step("a"))
            .Behavior(Part.Outer("b", async (own, _) =>
            {
                reached.SetResult();
                await Task.Delay(Timeout.InfiniteTimeSpan, own.CancellationToken);
            }))
            .End(Form, Part.Terminator());

        Task<Exception?> running = pipeline.RunAsync(context);
        await reached.Task;
        await source.CancelAsync();

        (await running).ShouldBeAssignableTo<OperationCanceledException>();
        context.Trace.Count.ShouldBe(3);
        context.Trace[2].ShouldStartWith("a!(");
    }
}
