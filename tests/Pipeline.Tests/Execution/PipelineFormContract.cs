using Pipeline.Tests.Parts;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Execution;

namespace Pipeline.Tests.Execution;

/// <summary>
/// The behaviour of every form: one subclass per form, one file per subject. The trace reads <c>a&gt;</c> before,
/// <c>&lt;a</c> after and <c>a!(e)</c> on an error for steps, <c>a(</c> and <c>)a</c> for behaviours, <c>t</c> for the terminator.
/// </summary>
public abstract partial class PipelineFormContract
{
    public static TheoryData<Timing> Timings => [.. Part.Timings];

    protected abstract PipelineForm Form { get; }

    [Fact]
    public async Task ShouldExecutePipeline()
    {
        OuterContext context = new();
        IPipeline<OuterContext> pipeline = ChainBuilding.Chain()
            .Steps(Part.Step("a"))
            .Behavior(Part.Outer("b"))
            .End(Form, Part.Terminator());

        await pipeline.InvokeAsync(context);

        context.ToString().ShouldBe("a> b( t )b <a");
    }

    [Fact]
    public async Task ShouldNotCacheContext()
    {
        OuterContext first = new() { State = 1 };
        OuterContext second = new() { State = 2 };
        IPipeline<OuterContext> pipeline = ChainBuilding.Chain()
            .Steps(Part.Step("a"))
            .Behavior(Part.Outer("b"))
            .Connector(Part.Connector("c"))
            .InnerSteps(Part.Step("d"))
            .EndInner(Form, Part.Terminator(body: context => context.Add(context.State.ToString())));

        await pipeline.InvokeAsync(first);
        await pipeline.InvokeAsync(second);

        first.ToString().ShouldBe("a> b( c( d> t 1 <d )c )b <a");
        second.ToString().ShouldBe("a> b( c( d> t 2 <d )c )b <a");
    }

    [Theory]
    [MemberData(nameof(Timings))]
    public async Task Invoke_SeveralParts_BeforeForwardsAfterBackwards(Timing timing)
    {
        OuterContext context = new();
        IPipeline<OuterContext> pipeline = ChainBuilding.Chain()
            .Steps(Part.Step("a", timing), Part.Step("b", timing))
            .Behavior(Part.Outer("c", (_, next) => Part.Run(timing, () => { }) is { IsCompletedSuccessfully: true } ? next() : HopAsync(next)))
            .Steps(Part.Step("d", timing))
            .End(Form, Part.Terminator(timing));

        (await pipeline.RunAsync(context)).ShouldBeNull();

        context.ToString().ShouldBe("a> b> c( d> t <d )c <b <a");
    }

    [Fact]
    public async Task Invoke_OnlyATerminator_Runs()
    {
        OuterContext context = new();

        await ChainBuilding.Chain().End(Form, Part.Terminator()).InvokeAsync(context);

        context.ToString().ShouldBe("t");
    }

    [Theory]
    [MemberData(nameof(Timings))]
    public async Task Invoke_StepStops_NothingFurtherRunsAndOuterAftersDo(Timing timing)
    {
        OuterContext context = new();
        IPipeline<OuterContext> pipeline = ChainBuilding.Chain()
            .Steps(Part.Step("a", timing), new ScriptedStep("b") { Timing = timing, Outcome = Quayside.Pipeline.Behaviors.StepOutcome.Stop },
                Part.Step("c", timing))
            .End(Form, Part.Terminator(timing));

        (await pipeline.RunAsync(context)).ShouldBeNull();

        context.ToString().ShouldBe("a> b> <a");
    }

    [Theory]
    [MemberData(nameof(Timings))]
    public async Task Invoke_StepDecidesNothing_FailsNamingTheStepAndNothingFurtherRuns(Timing timing)
    {
        foreach (StepOutcome outcome in (StepOutcome[])[default, (StepOutcome)42, (StepOutcome)(-1)])
        {
            foreach (bool isFirst in (bool[])[true, false])
            {
                OuterContext context = new();
                ScriptedStep undecided = new("b") { Timing = timing, Outcome = outcome };
                IPipeline<OuterContext> pipeline = ChainBuilding.Chain()
                    .Steps(isFirst ? [undecided, Part.Step("c", timing)] : [Part.Step("a", timing), undecided, Part.Step("c", timing)])
                    .End(Form, Part.Terminator(timing));

                PartDefectException defect = (await pipeline.RunAsync(context)).ShouldBeOfType<PartDefectException>();

                defect.Part.ShouldBe("the step b");
                defect.Message.ShouldBe(
                    $"The step b returned StepOutcome.{outcome} from BeforeAsync, which decides nothing: return StepOutcome.Continue or StepOutcome.Stop.");
                context.ToString().ShouldBe(isFirst ? "b>" : $"a> b> a!({defect.Message})");
            }
        }
    }

    [Theory]
    [MemberData(nameof(Timings))]
    public async Task Invoke_BehaviorNeverCallsNext_NothingFurtherRunsAndOuterAftersDo(Timing timing)
    {
        OuterContext context = new();
        IPipeline<OuterContext> pipeline = ChainBuilding.Chain()
            .Steps(Part.Step("a", timing))
            .Behavior(Part.Outer("b", (_, _) => Part.Run(timing, () => { })))
            .Steps(Part.Step("c", timing))
            .End(Form, Part.Terminator(timing));

        (await pipeline.RunAsync(context)).ShouldBeNull();

        context.ToString().ShouldBe("a> b( )b <a");
    }

    [Theory]
    [MemberData(nameof(Timings))]
    public async Task Invoke_FortyParts_RunInOrder(Timing timing)
    {
        OuterContext context = new();
        IEnumerable<string> names = Enumerable.Range(1, 40).Select(i => $"s{i}");
        IPipeline<OuterContext> pipeline = ChainBuilding.Chain()
            .Steps(names.Select(name => Part.Step(name, timing)))
            .End(Form, Part.Terminator(timing));

        (await pipeline.RunAsync(context)).ShouldBeNull();

        context.Trace.ShouldBe([.. names.Select(name => $"{name}>"), "t", .. names.Reverse().Select(name => $"<{name}")]);
    }

    [Theory]
    [MemberData(nameof(Timings))]
    public async Task Invoke_FortyBehaviors_RunInOrder(Timing timing)
    {
        OuterContext context = new();
        Quayside.Pipeline.Building.PipelineBuilder<OuterContext> builder = ChainBuilding.Chain();
        IEnumerable<string> names = Enumerable.Range(1, 40).Select(i => $"b{i}");
        foreach (string name in names)
        {
            builder.Behavior(Part.Outer(name));
        }

        (await builder.End(Form, Part.Terminator(timing)).RunAsync(context)).ShouldBeNull();

        context.Trace.ShouldBe([.. names.Select(name => $"{name}("), "t", .. names.Reverse().Select(name => $"){name}")]);
    }

    [Fact]
    public void Build_PartsAddedAfterwards_DoNotChangeTheComposedChain()
    {
        OuterContext context = new();
        Quayside.Pipeline.Building.PipelineBuilder<OuterContext> builder = ChainBuilding.Chain().Steps(Part.Step("a"));
        IPipeline<OuterContext> pipeline = builder.End(Form, Part.Terminator());
        builder.Steps(Part.Step("late"));

        pipeline.InvokeAsync(context).IsCompletedSuccessfully.ShouldBeTrue();

        context.ToString().ShouldBe("a> t <a");
    }

    private static async ValueTask HopAsync(Func<ValueTask> next)
    {
        await Task.Yield();
        await next();
        await Task.Yield();
    }
}
