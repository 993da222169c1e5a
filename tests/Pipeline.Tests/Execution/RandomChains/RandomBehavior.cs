using Pipeline.Tests.Parts;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Settlements;

namespace Pipeline.Tests.Execution.RandomChains;

internal sealed class RandomBehavior<TContext>(string name, PartSpec spec) : IBehavior<TContext, TContext>
    where TContext : TracedContext
{
    public ValueTask InvokeAsync(TContext context, Next<TContext> next)
    {
        context.Add($"{name}(");
        if (spec.Decides)
        {
            context.Settlement = Settlement.DeadLetter("decided", name);
        }

        if (spec.Shape == Shape.PassingBehavior)
        {
            if (spec.Before.Timing == Timing.Synchronous)
            {
                spec.Before.ThrowIfFault($"{name}-before");
            }

            return next.InvokeAsync(context);
        }

        return WrapAsync(context, next);
    }

    private async ValueTask WrapAsync(TContext context, Next<TContext> next)
    {
        await Part.Run(spec.Before.Timing, () => spec.Before.ThrowIfFault($"{name}-before"));
        switch (spec.Shape)
        {
            case Shape.SkippingBehavior:
                break;
            case Shape.TwiceBehavior:
                await next.InvokeAsync(context);
                await next.InvokeAsync(context);
                break;
            case Shape.RetryingBehavior:
                try
                {
                    await next.InvokeAsync(context);
                }
                catch (Exception exception)
                {
                    context.Add($"{name}-retries({exception.GetType().Name}:{exception.Message})");
                    await next.InvokeAsync(context);
                }

                break;
            case Shape.CatchingBehavior:
                try
                {
                    await next.InvokeAsync(context);
                }
                catch (Exception exception)
                {
                    context.Add($"{name}-catches({exception.GetType().Name}:{exception.Message})");
                }

                break;
            default:
                await next.InvokeAsync(context);
                break;
        }

        await Part.Run(spec.After.Timing, () => spec.After.ThrowIfFault($"{name}-after"));
        context.Add($"){name}");
    }
}
