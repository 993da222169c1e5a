using Quayside.Pipeline.Behaviors;

namespace Benchmarks.Pipelines.Parts;

/// <summary>Acts before and after the rest of the chain, as most developers write it.</summary>
internal sealed class PlainPart<TTag> : IBehavior<BenchContext, BenchContext>
    where TTag : struct, ITag
{
    public async ValueTask InvokeAsync(BenchContext context, Next<BenchContext> next)
    {
        context.Enter(TTag.Value);
        await next.InvokeAsync(context);
        context.Leave(TTag.Value);
    }
}
