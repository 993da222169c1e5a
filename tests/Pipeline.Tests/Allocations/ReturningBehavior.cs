using Quayside.Pipeline.Behaviors;

namespace Pipeline.Tests.Allocations;

/// <summary>Returns next's own task.</summary>
internal sealed class ReturningBehavior<TNumber> : IBehavior<MeasuredContext, MeasuredContext>
    where TNumber : struct
{
    public ValueTask InvokeAsync(MeasuredContext context, Next<MeasuredContext> next)
    {
        context.Count += 2;
        return next.InvokeAsync(context);
    }
}
