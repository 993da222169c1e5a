using Pipeline.Behaviors;
using Pipeline.Frames;

namespace Pipeline.Tests.Allocations;

/// <summary>Does something after next, and awaits only when next did not complete within the call.</summary>
internal sealed class FastPathBehavior<TNumber> : IBehavior<MeasuredContext, MeasuredContext>
    where TNumber : struct
{
    public ValueTask InvokeAsync(MeasuredContext context, Next<MeasuredContext> next)
    {
        context.Count++;
        return next.InvokeAsync(context).Then(context, static context => context.Count++);
    }
}
