using System.Linq.Expressions;
using System.Reflection;
using Pipeline.Contexts;

namespace Pipeline.Execution.Expressions;

/// <summary>Compiles the call of one part's method, with everything but the context as a constant.</summary>
internal static class CompiledCall
{
    public static ExpressionNext<TContext> Of<TContext>(object part, MethodInfo method, params Expression[] rest)
        where TContext : PipelineContext
    {
        ParameterExpression context = Expression.Parameter(typeof(TContext), "context");
        MethodCallExpression call = Expression.Call(Expression.Constant(part, method.DeclaringType!), method, [context, .. rest]);
        return new ExpressionNext<TContext>(Expression.Lambda<Func<TContext, ValueTask>>(call, method.DeclaringType!.Name, [context]).Compile());
    }
}
