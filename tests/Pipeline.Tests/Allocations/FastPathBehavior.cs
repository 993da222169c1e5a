using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Frames;

namespace Pipeline.Tests.Allocations;

/// <summary>Counts after next, and awaits only when next did not complete synchronously.</summary>
internal sealed class FastPathBehavior<TNumber> : IBehavior<MeasuredContext, MeasuredContext>
    where TNumber : struct
{
    public ValueTask InvokeAsync(MeasuredContext context, Next<MeasuredContext> next)
    {
        context.Count++;
        return next.InvokeAsync(context).Then(context, static context => context.Count++);
    }
}
