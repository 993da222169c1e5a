using Pipeline.Tests.Parts;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Execution;

namespace Pipeline.Tests.Execution;

/// <summary>Async locals that parts set, as a tracing step sets the current activity.</summary>
public abstract partial class PipelineFormContract
{
    private static readonly AsyncLocal<string?> Ambient = new();

    [Theory]
    [MemberData(nameof(Timings))]
    public async Task AsyncLocal_SetByAStep_FlowsInwardsAndNeverToTheCaller(Timing timing)
    {
        OuterContext context = new();
        Ambient.Value = "caller";
        IPipeline<OuterContext> pipeline = ChainBuilding.Chain()
            .Step<OuterContext>(new AmbientStep("a"))
            .Step<OuterContext>(Part.Step("b", timing))
            .Behavior(Part.Outer("c"))
            .Step<OuterContext>(new AmbientStep("d"))
            .End(Form, Part.Terminator(timing, body: own => own.Add(Ambient.Value!)));

        ValueTask running = pipeline.InvokeAsync(context);
        string? whileRunning = Ambient.Value;
        await running;

        whileRunning.ShouldBe("caller");
        Ambient.Value.ShouldBe("caller");
        context.ToString().ShouldContain("t d");
    }

    [Fact]
    public void AsyncLocal_SetByAStepBeforeAFailure_DoesNotReachTheCaller()
    {
        Ambient.Value = "caller";
        IPipeline<OuterContext> pipeline = ChainBuilding.Chain()
            .Step<OuterContext>(new AmbientStep("a"))
            .End(Form, Part.Terminator(body: _ => throw new PartException("t")));

        Should.Throw<PartException>(() => pipeline.InvokeAsync(new OuterContext()).GetAwaiter().GetResult());

        Ambient.Value.ShouldBe("caller");
    }

    private sealed class AmbientStep(string name) : IStep<OuterContext>
    {
        public ValueTask<StepOutcome> BeforeAsync(OuterContext context)
        {
            Ambient.Value = name;
            return new(StepOutcome.Continue);
        }
    }
}
