using Pipeline.Contexts;

namespace Pipeline.Building;

/// <summary>How a form sees the parts with their context types, which were erased in the list.</summary>
internal interface IPartVisitor<in TState, out TResult>
{
    TResult Step<TContext>(StepPart<TContext> part, TState state)
        where TContext : PipelineContext;

    TResult Behavior<TIn, TOut>(BehaviorPart<TIn, TOut> part, TState state)
        where TIn : PipelineContext
        where TOut : PipelineContext;

    TResult Terminator<TContext>(TerminatorPart<TContext> part, TState state)
        where TContext : PipelineContext;
}
