using Pipeline.Contexts;

namespace Pipeline.Behaviors;

/// <summary>The last part of a chain, which handles the message.</summary>
/// <typeparam name="TContext">The last stage's context.</typeparam>
public interface ITerminator<in TContext>
    where TContext : PipelineContext
{
    /// <summary>Handles the message and decides its settlement.</summary>
    ValueTask InvokeAsync(TContext context);
}
