using Pipeline.Behaviors;
using Pipeline.Contexts;

namespace Pipeline.Execution.Nodes;

/// <summary>Makes the node of one behaviour, connector or fork.</summary>
public delegate Next<TIn> BehaviorNodeFactory<TIn, TOut>(IBehavior<TIn, TOut> behavior, Next<TOut> next)
    where TIn : PipelineContext
    where TOut : PipelineContext;

/// <summary>Makes the node of one step; <paramref name="next"/> is null for a fused run.</summary>
public delegate StepNode<TContext> StepNodeFactory<TContext>(IStep<TContext> step, Next<TContext>? next)
    where TContext : PipelineContext;

/// <summary>Makes the node of one terminator.</summary>
public delegate Next<TContext> TerminatorNodeFactory<TContext>(ITerminator<TContext> terminator)
    where TContext : PipelineContext;
