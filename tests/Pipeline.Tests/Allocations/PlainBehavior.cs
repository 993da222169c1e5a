using Quayside.Pipeline.Behaviors;

namespace Pipeline.Tests.Allocations;

/// <summary>A plain async method, as most people write it.</summary>
internal sealed class PlainBehavior<TNumber> : IBehavior<MeasuredContext, MeasuredContext>
    where TNumber : struct
{
    public async ValueTask InvokeAsync(MeasuredContext context, Next<MeasuredContext> next)
    {
        context.Count++;
        await next.InvokeAsync(context);
        context.Count++;
    }
}
