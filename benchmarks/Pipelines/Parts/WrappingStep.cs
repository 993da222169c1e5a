using Quayside.Pipeline.Behaviors;

namespace Benchmarks.Pipelines.Parts;

/// <summary><see cref="PlainPart{TTag}"/> as a step.</summary>
internal sealed class WrappingStep<TTag> : IStep<BenchContext>
    where TTag : struct, ITag
{
    public ValueTask<StepOutcome> BeforeAsync(BenchContext context)
    {
        context.Enter(TTag.Value);
        return new(StepOutcome.Continue);
    }

    public ValueTask AfterAsync(BenchContext context)
    {
        context.Leave(TTag.Value);
        return default;
    }
}
