using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Frames;

namespace Benchmarks.Pipelines.Parts;

/// <summary><see cref="PlainPart{TTag}"/> as the analyzer requires it: it awaits only when the rest did not complete, in a pooled frame.</summary>
internal sealed class FastPathPart<TTag> : IBehavior<BenchContext, BenchContext>
    where TTag : struct, ITag
{
    public ValueTask InvokeAsync(BenchContext context, Next<BenchContext> next)
    {
        context.Enter(TTag.Value);
        ValueTask rest = next.InvokeAsync(context);
        if (!rest.IsCompletedSuccessfully)
        {
            return rest.Then(context, Leave);
        }

        rest.GetAwaiter().GetResult();
        Leave(context);
        return default;
    }

    private static void Leave(BenchContext context) => context.Leave(TTag.Value);
}
