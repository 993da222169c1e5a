using Pipeline.Contexts;

namespace Pipeline.Execution.Closure;

/// <summary>One part of the chain, with the context type erased: a closure chain does not know its stages.</summary>
internal abstract class ClosureLink
{
    public abstract Task InvokeAsync(PipelineContext context, Func<PipelineContext, Task> next);
}
