using Pipeline.Tests.Parts;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Execution;

namespace Pipeline.Tests.Execution;

/// <summary>Tasks that have failed when they are returned: nothing suspends, so no form may use another thread.</summary>
public abstract partial class PipelineFormContract
{
    [Fact]
    public void Invoke_TerminatorReturnsAFailedTask_IsHandledOnTheCallersThread()
    {
        FailedTaskPart part = new();
        IPipeline<OuterContext> pipeline = ChainBuilding.Chain()
            .Step<OuterContext>(part)
            .Step<OuterContext>(new QuietStep())
            .Terminator<OuterContext>(part)
            .Build(Form);

        ValueTask running = pipeline.InvokeAsync(new OuterContext());

        running.IsCompletedSuccessfully.ShouldBeTrue();
        part.HandledOn.ShouldBe(Environment.CurrentManagedThreadId);
    }

    private sealed class FailedTaskPart : IStep<OuterContext>, ITerminator<OuterContext>
    {
        public int HandledOn { get; private set; }

        public ValueTask<ErrorOutcome> OnErrorAsync(OuterContext context, Exception exception)
        {
            HandledOn = Environment.CurrentManagedThreadId;
            return new(ErrorOutcome.Handled);
        }

        public ValueTask InvokeAsync(OuterContext context) => ValueTask.FromException(new PartException("failed"));
    }
}
