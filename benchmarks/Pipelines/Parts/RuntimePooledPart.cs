using System.Runtime.CompilerServices;
using Quayside.Pipeline.Behaviors;

namespace Benchmarks.Pipelines.Parts;

/// <summary><see cref="PlainPart{TTag}"/> over the runtime's own pooled builder.</summary>
internal sealed class RuntimePooledPart<TTag> : IBehavior<BenchContext, BenchContext>
    where TTag : struct, ITag
{
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public async ValueTask InvokeAsync(BenchContext context, Next<BenchContext> next)
    {
        context.Enter(TTag.Value);
        await next.InvokeAsync(context);
        context.Leave(TTag.Value);
    }
}
