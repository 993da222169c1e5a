using Quayside.Pipeline.Behaviors;

namespace Pipeline.Tests.Allocations;

/// <summary>Counts in Before and After, and has OnError.</summary>
internal sealed class MeasuredHandlingStep<TNumber> : IStep<MeasuredContext>
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

    public ValueTask<ErrorOutcome> OnErrorAsync(MeasuredContext context, Exception exception) =>
        throw new InvalidOperationException("No measured part throws.", exception);
}
