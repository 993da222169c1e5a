using System.Runtime.CompilerServices;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Frames;

namespace Pipeline.Tests.Allocations;

/// <summary>An async method over the pooled builder.</summary>
internal sealed class PooledBehavior<TNumber> : IBehavior<MeasuredContext, MeasuredContext>
    where TNumber : struct
{
    [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder))]
    public async ValueTask InvokeAsync(MeasuredContext context, Next<MeasuredContext> next)
    {
        context.Count++;
        await next.InvokeAsync(context);
        context.Count++;
    }
}
