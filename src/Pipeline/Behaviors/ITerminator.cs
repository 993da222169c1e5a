using Pipeline.Contexts;

namespace Pipeline.Behaviors;

/// <summary>The innermost part: what the message means. There is nothing after it.</summary>
/// <typeparam name="TContext">The last stage's context.</typeparam>
public interface ITerminator<in TContext>
    where TContext : PipelineContext
{
    /// <summary>Handles the message and decides its settlement.</summary>
    ValueTask InvokeAsync(TContext context);
}
