using Quayside.Pipeline.Behaviors;

namespace Benchmarks.Pipelines.Parts;

/// <summary>Acts and returns what next returns.</summary>
internal sealed class ReturningPart<TTag> : IBehavior<BenchContext, BenchContext>
    where TTag : struct, ITag
{
    public ValueTask InvokeAsync(BenchContext context, Next<BenchContext> next)
    {
        context.Enter(TTag.Value);
        return next.InvokeAsync(context);
    }
}
