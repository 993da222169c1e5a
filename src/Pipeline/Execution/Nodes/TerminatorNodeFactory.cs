using Pipeline.Behaviors;
using Pipeline.Contexts;

namespace Pipeline.Execution.Nodes;

/// <summary>Makes the node of one terminator.</summary>
public delegate Next<TContext> TerminatorNodeFactory<TContext>(ITerminator<TContext> terminator)
    where TContext : PipelineContext;
