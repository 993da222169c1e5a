using Quayside.Pipeline.Behaviors;

namespace Pipeline.Tests.Allocations;

/// <summary>Counts in Before and After.</summary>
internal sealed class MeasuredStep<TNumber> : IStep<MeasuredContext>
    where TNumber : struct
{
    public ValueTask<StepOutcome> BeforeAsync(MeasuredContext context)
    {
        context.Count++;
        return new(StepOutcome.Continue);
    }

    public ValueTask AfterAsync(MeasuredContext context)
    {
        context.Count++;
        return default;
    }
}
