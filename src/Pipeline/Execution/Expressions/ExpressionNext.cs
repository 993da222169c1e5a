using Pipeline.Behaviors;
using Pipeline.Contexts;

namespace Pipeline.Execution.Expressions;

internal sealed class ExpressionNext<TContext>(Func<TContext, ValueTask> compiled) : Next<TContext>
    where TContext : PipelineContext
{
    public override ValueTask InvokeAsync(TContext context) => compiled(context);
}
