using Quayside.Pipeline.Building;
using Quayside.Pipeline.Execution;

namespace Pipeline.Tests.Parts;

/// <summary>Builds chains of the tests' parts, whose interfaces are written for any traced context.</summary>
internal static class ChainBuilding
{
    public static PipelineBuilder<OuterContext> Chain() => new("test");

    public static PipelineBuilder<OuterContext> Steps(this PipelineBuilder<OuterContext> builder, params IEnumerable<ScriptedStep> steps)
    {
        foreach (ScriptedStep step in steps)
        {
            builder.Step<OuterContext>(step, step.Name);
        }

        return builder;
    }

    public static PipelineBuilder<OuterContext> InnerSteps(this PipelineBuilder<OuterContext> builder, params IEnumerable<ScriptedStep> steps)
    {
        foreach (ScriptedStep step in steps)
        {
            builder.Step<InnerContext>(step, step.Name);
        }

        return builder;
    }

    public static IPipeline<OuterContext> End(this PipelineBuilder<OuterContext> builder, PipelineForm form, ScriptedTerminator terminator) =>
        builder.Terminator<OuterContext>(terminator).Build(form);

    public static IPipeline<OuterContext> EndInner(this PipelineBuilder<OuterContext> builder, PipelineForm form, ScriptedTerminator terminator) =>
        builder.Terminator<InnerContext>(terminator).Build(form);

    /// <summary>Runs a chain and returns its exception, thrown or from the task; null on a normal return.</summary>
    public static async Task<Exception?> RunAsync(this IPipeline<OuterContext> pipeline, OuterContext context)
    {
        try
        {
            await pipeline.InvokeAsync(context);
            return null;
        }
        catch (Exception exception)
        {
            return exception;
        }
    }
}
