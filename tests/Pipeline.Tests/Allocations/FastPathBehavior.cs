using Pipeline.Behaviors;

namespace Pipeline.Tests.Allocations;

/// <summary>Does something after next, and awaits only when next did not complete within the call.</summary>
internal sealed class FastPathBehavior<TNumber> : IBehavior<MeasuredContext, MeasuredContext>
    where TNumber : struct
{
    public ValueTask InvokeAsync(MeasuredContext context, Next<MeasuredContext> next)
    {
        context.Count++;
        ValueTask rest = next.InvokeAsync(context);
        if (!rest.IsCompletedSuccessfully)
        {
            return AwaitAsync(rest, context);
        }

        rest.GetAwaiter().GetResult();
        context.Count++;
        return default;
    }

    private static async ValueTask AwaitAsync(ValueTask rest, MeasuredContext context)
    {
        await rest;
        context.Count++;
    }
}
