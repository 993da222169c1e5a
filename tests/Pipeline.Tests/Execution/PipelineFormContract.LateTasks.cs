using Pipeline.Tests.Parts;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Execution;

namespace Pipeline.Tests.Execution;

/// <summary>Tasks that complete on another thread between two checks of their state.</summary>
public abstract partial class PipelineFormContract
{
    [Fact]
    public async Task Invoke_TasksCompleteBetweenTwoChecks_NothingIsSkippedOrRepeated()
    {
        OuterContext context = new();
        IPipeline<OuterContext> pipeline = ChainBuilding.Chain()
            .Step<OuterContext>(new LateStep("a"))
            .Step<OuterContext>(new LateStep("b"))
            .Step<OuterContext>(new LateStep("c"))
            .Terminator<OuterContext>(new LateStep("t"))
            .Build(Form);

        (await pipeline.RunAsync(context)).ShouldBeNull();

        context.ToString().ShouldBe("a> b> c> t <c <b <a");
    }

    [Fact]
    public async Task Invoke_FailureBetweenTwoChecks_EveryEnteredStepSeesIt()
    {
        OuterContext context = new();
        IPipeline<OuterContext> pipeline = ChainBuilding.Chain()
            .Step<OuterContext>(new LateStep("a"))
            .Step<OuterContext>(new LateStep("b"))
            .Terminator<OuterContext>(new LateStep("t") { Exception = new PartException("late") })
            .Build(Form);

        (await pipeline.RunAsync(context)).ShouldBeOfType<PartException>();

        context.ToString().ShouldBe("a> b> t b! a!");
    }

    private sealed class LateStep(string name) : IStep<OuterContext>, ITerminator<OuterContext>
    {
        public Exception? Exception { get; init; }

        public ValueTask<StepOutcome> BeforeAsync(OuterContext context)
        {
            context.Add($"{name}>");
            return new LateSource().TaskOfOutcome;
        }

        public ValueTask AfterAsync(OuterContext context)
        {
            context.Add($"<{name}");
            return new LateSource().Task;
        }

        public ValueTask<ErrorOutcome> OnErrorAsync(OuterContext context, Exception exception)
        {
            context.Add($"{name}!");
            return new LateSource().TaskOfErrorOutcome;
        }

        public ValueTask InvokeAsync(OuterContext context)
        {
            context.Add(name);
            return new LateSource(Exception).Task;
        }
    }
}
