using System.Runtime.ExceptionServices;
using Pipeline.Tests.Parts;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Building;
using Quayside.Pipeline.Execution;

namespace Pipeline.Tests.Execution.Fused;

public sealed class FusedFormTests : PipelineFormContract
{
    protected override PipelineForm Form => PipelineForm.Fused;

    /// <summary>A throw costs more than the rest of the chain: where no step has OnError, the exception is thrown once.</summary>
    [Theory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    public void Invoke_TerminatorFailsSynchronously_NoStepHasOnError_IsThrownOnce(bool leaves, bool throws)
    {
        PartException failure = new("refused");
        PipelineBuilder<OuterContext> builder = ChainBuilding.Chain();
        for (int i = 0; i < 3; i++)
        {
            _ = leaves ? builder.Step(new LeavingStep()) : builder.Step(new EnteringStep());
        }

        IPipeline<OuterContext> pipeline = builder.Terminator(new RefusingTerminator(failure, throws)).Build(Form);
        OuterContext context = new();
        int thrown = 0;
        EventHandler<FirstChanceExceptionEventArgs> count =
            (_, thrownNow) => Interlocked.Add(ref thrown, ReferenceEquals(thrownNow.Exception, failure) ? 1 : 0);
        AppDomain.CurrentDomain.FirstChanceException += count;
        try
        {
            Should.Throw<PartException>(() => pipeline.InvokeAsync(context).GetAwaiter().GetResult()).ShouldBeSameAs(failure);
        }
        finally
        {
            AppDomain.CurrentDomain.FirstChanceException -= count;
        }

        thrown.ShouldBe(1);
        context.ToString().ShouldBe("> > > t");
    }

    [Fact]
    public async Task Invoke_RestCompletesBetweenTwoChecks_NoStepHasOnError_EveryAfterRuns()
    {
        OuterContext context = new();
        IPipeline<OuterContext> pipeline = ChainBuilding.Chain()
            .Step(new LeavingStep())
            .Step(new LeavingStep())
            .Terminator(new LateTerminator())
            .Build(Form);

        (await pipeline.RunAsync(context)).ShouldBeNull();

        context.ToString().ShouldBe("> > t < <");
    }

    internal sealed class EnteringStep : IStep<OuterContext>
    {
        public ValueTask<StepOutcome> BeforeAsync(OuterContext context)
        {
            context.Add(">");
            return new(StepOutcome.Continue);
        }
    }

    internal sealed class LeavingStep : IStep<OuterContext>
    {
        public ValueTask<StepOutcome> BeforeAsync(OuterContext context)
        {
            context.Add(">");
            return new(StepOutcome.Continue);
        }

        public ValueTask AfterAsync(OuterContext context)
        {
            context.Add("<");
            return default;
        }
    }

    internal sealed class RefusingTerminator(PartException failure, bool throws) : ITerminator<OuterContext>
    {
        public ValueTask InvokeAsync(OuterContext context)
        {
            context.Add("t");
            return throws ? throw failure : ValueTask.FromException(failure);
        }
    }

    internal sealed class LateTerminator : ITerminator<OuterContext>
    {
        public ValueTask InvokeAsync(OuterContext context)
        {
            context.Add("t");
            return new LateSource().Task;
        }
    }
}
