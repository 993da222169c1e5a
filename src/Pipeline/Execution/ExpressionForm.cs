using System.Linq.Expressions;
using System.Reflection;
using System.Runtime.CompilerServices;
using Pipeline.Parts;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Contexts;
using Quayside.Pipeline.Execution.Nodes;
using static System.Linq.Expressions.Expression;

namespace Quayside.Pipeline.Execution;

/// <summary>
/// The talk's first optimisation: the calls from part to part are expression trees, compiled to delegates once at start, from
/// the tail to the head. Each calls its part's own method directly and passes the compiled rest as a constant.
/// </summary>
internal sealed class ExpressionForm(bool dynamicCode) : PipelineForm("Expression"), IPartVisitor<object?, object>
{
    public ExpressionForm()
        : this(RuntimeFeature.IsDynamicCodeSupported)
    {
    }

    public override bool IsSupported => dynamicCode;

    public object Step<TContext>(StepPart<TContext> part, object? state)
        where TContext : PipelineContext
    {
        StepNode<TContext> adapter = part.Named(new SharedStepNode<TContext>(part.Step, (Next<TContext>)state!));
        return CompiledCall.Of<TContext>(adapter, ((Func<TContext, ValueTask>)adapter.InvokeAsync).Method);
    }

    public object Behavior<TIn, TOut>(BehaviorPart<TIn, TOut> part, object? state)
        where TIn : PipelineContext
        where TOut : PipelineContext =>
        CompiledCall.Of<TIn>(part.Behavior, ((Func<TIn, Next<TOut>, ValueTask>)part.Behavior.InvokeAsync).Method, Constant(state, typeof(Next<TOut>)));

    public object Terminator<TContext>(TerminatorPart<TContext> part, object? state)
        where TContext : PipelineContext =>
        CompiledCall.Of<TContext>(part.Terminator, ((Func<TContext, ValueTask>)part.Terminator.InvokeAsync).Method);

    internal override Next<TRoot> Compose<TRoot>(IReadOnlyList<PipelinePart> parts)
    {
        if (!dynamicCode)
        {
            throw new PlatformNotSupportedException(
                "The Expression form compiles code at start, which this runtime does not allow (compiled ahead of time, "
                    + "or dynamic code switched off). Choose the form Fused or Precompiled.");
        }

        object? next = null;
        for (int i = parts.Count - 1; i >= 0; i--)
        {
            next = parts[i].Accept(this, next);
        }

        return (Next<TRoot>)next!;
    }
}

internal sealed class ExpressionNext<TContext>(Func<TContext, ValueTask> compiled) : Next<TContext>
    where TContext : PipelineContext
{
    public override ValueTask InvokeAsync(TContext context) => compiled(context);
}

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
