using Pipeline.Behaviors;
using Pipeline.Contexts;

namespace Pipeline.Execution.Nodes;

/// <summary>Makes the node of one behaviour, connector or fork.</summary>
public delegate Next<TIn> BehaviorNodeFactory<TIn, TOut>(IBehavior<TIn, TOut> behavior, Next<TOut> next)
    where TIn : PipelineContext
    where TOut : PipelineContext;
