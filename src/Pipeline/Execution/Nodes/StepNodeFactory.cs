using Pipeline.Behaviors;
using Pipeline.Contexts;

namespace Pipeline.Execution.Nodes;

/// <summary>Makes the node of one step; <paramref name="next"/> is null for a fused run.</summary>
public delegate StepNode<TContext> StepNodeFactory<TContext>(IStep<TContext> step, Next<TContext>? next)
    where TContext : PipelineContext;
