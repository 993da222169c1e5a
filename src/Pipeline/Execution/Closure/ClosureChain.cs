using Pipeline.Behaviors;
using Pipeline.Contexts;

namespace Pipeline.Execution.Closure;

internal sealed class ClosureChain<TRoot>(ClosureLink[] links) : Next<TRoot>
    where TRoot : PipelineContext
{
    public override ValueTask InvokeAsync(TRoot context) => new(InvokeFromAsync(context, 0));

    private Task InvokeFromAsync(PipelineContext context, int index) =>
        links[index].InvokeAsync(context, inner => InvokeFromAsync(inner, index + 1));
}
