using Quayside.Pipeline.Behaviors;

namespace Pipeline.Tests.Parts;

/// <summary>
/// A behaviour, connector or fork that writes <c>name(</c> to the trace, runs the test's body with the rest of the chain as a
/// function, and writes <c>)name</c> when the body returned normally. Without a body it calls the rest once.
/// </summary>
internal sealed class ScriptedBehavior<TIn, TOut>(string name, Func<TIn, TOut> convert, Func<TIn, Func<ValueTask>, ValueTask>? body) : IFork<TIn, TOut>
    where TIn : TracedContext
    where TOut : TracedContext
{
    public ValueTask InvokeAsync(TIn context, Next<TOut> next)
    {
        context.Add($"{name}(");
        ValueTask rest = body is null ? next.InvokeAsync(convert(context)) : body(context, () => next.InvokeAsync(convert(context)));
        if (!rest.IsCompletedSuccessfully)
        {
            return AwaitAsync(rest, context);
        }

        rest.GetAwaiter().GetResult();
        context.Add($"){name}");
        return default;
    }

    private async ValueTask AwaitAsync(ValueTask rest, TIn context)
    {
        await rest;
        context.Add($"){name}");
    }
}
