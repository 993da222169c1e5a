using Pipeline.Behaviors;

namespace Pipeline.Tests.Allocations;

/// <summary>A plain async method; completes synchronously when next does.</summary>
internal sealed class AwaitingBehavior<TNumber> : IBehavior<MeasuredContext, MeasuredContext>
    where TNumber : struct
{
    public async ValueTask InvokeAsync(MeasuredContext context, Next<MeasuredContext> next)
    {
        context.Count++;
        await next.InvokeAsync(context);
        context.Count++;
    }
}
