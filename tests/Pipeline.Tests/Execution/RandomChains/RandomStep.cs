using Pipeline.Tests.Parts;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Settlements;

namespace Pipeline.Tests.Execution.RandomChains;

internal sealed class RandomStep(string name, PartSpec spec) : IStep<TracedContext>
{
    public ValueTask<StepOutcome> BeforeAsync(TracedContext context) => Part.Run(spec.Before.Timing, () =>
    {
        context.Add($"{name}>");
        if (spec.Decides)
        {
            context.Settlement = Settlement.Abandon(TimeSpan.Zero, name);
        }

        spec.Before.ThrowIfFault($"{name}-before");
        return spec.Shape == Shape.StoppingStep ? StepOutcome.Stop : StepOutcome.Continue;
    });

    public ValueTask AfterAsync(TracedContext context) => Part.Run(spec.After.Timing, () =>
    {
        context.Add($"<{name}");
        spec.After.ThrowIfFault($"{name}-after");
    });

    public ValueTask<ErrorOutcome> OnErrorAsync(TracedContext context, Exception exception) => Part.Run(spec.Error.Timing, () =>
    {
        context.Add($"{name}!({exception.GetType().Name}:{exception.Message})");
        spec.Error.ThrowIfFault($"{name}-error");
        return spec.Shape == Shape.HandlingStep && context.State++ % 2 == 0 ? ErrorOutcome.Handled : ErrorOutcome.Rethrow;
    });
}
