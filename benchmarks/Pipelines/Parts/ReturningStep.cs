using Quayside.Pipeline.Behaviors;

namespace Benchmarks.Pipelines.Parts;

/// <summary><see cref="ReturningPart{TTag}"/> as a step.</summary>
internal sealed class ReturningStep<TTag> : IStep<BenchContext>
    where TTag : struct, ITag
{
    public ValueTask<StepOutcome> BeforeAsync(BenchContext context)
    {
        context.Enter(TTag.Value);
        return new(StepOutcome.Continue);
    }
}
