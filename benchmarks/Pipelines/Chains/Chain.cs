using System.Runtime.CompilerServices;
using Benchmarks.Pipelines.Parts;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Building;
using Quayside.Pipeline.Execution;

namespace Benchmarks.Pipelines.Chains;

/// <summary>One composed chain, ready for messages.</summary>
internal abstract class Chain
{
    /// <summary>Composes the variant from the last <paramref name="depth"/> parts of its kind.</summary>
    public static Chain Compose(Variant variant, Scenario scenario, int depth)
    {
        bool returning = scenario is Scenario.Returning or Scenario.ThrowingSynchronously;
        return variant switch
        {
            Variant.HandWritten => new HandWrittenChain(returning, depth),
            Variant.Closure => new FormChain(Behaviors(returning ? ReturningParts.Last(depth) : PlainParts.Last(depth)), PipelineForm.Closure),
            Variant.Expression => new FormChain(Behaviors(returning ? ReturningParts.Last(depth) : PlainParts.Last(depth)), PipelineForm.Expression),
            Variant.PrecompiledPlain => new FormChain(Behaviors(returning ? ReturningParts.Last(depth) : PlainParts.Last(depth)), PipelineForm.Precompiled),
            Variant.RuntimePooled =>
                new FormChain(Behaviors(returning ? ReturningParts.Last(depth) : RuntimePooledParts.Last(depth)), PipelineForm.Precompiled),
            Variant.Precompiled => new FormChain(Behaviors(returning ? ReturningParts.Last(depth) : FastPathParts.Last(depth)), PipelineForm.Precompiled),
            Variant.Fused => new FormChain(Steps(returning ? ReturningSteps.Last(depth) : WrappingSteps.Last(depth)), PipelineForm.Fused),
            Variant.Middleware => ComposeMiddleware(returning, depth),
            Variant.MassTransit => ComposeMassTransit(returning, depth),
            _ => throw new ArgumentOutOfRangeException(nameof(variant), variant, message: null),
        };
    }

    /// <summary>The parts of a chain, added and not yet composed.</summary>
    public static PipelineBuilder<BenchContext> Behaviors(IBehavior<BenchContext, BenchContext>[] parts)
    {
        PipelineBuilder<BenchContext> builder = new("bench");
        foreach (IBehavior<BenchContext, BenchContext> part in parts)
        {
            builder.Behavior(part);
        }

        return builder.Terminator(new EndTerminator());
    }

    /// <summary>The steps of a chain, added and not yet composed.</summary>
    public static PipelineBuilder<BenchContext> Steps(IStep<BenchContext>[] steps)
    {
        PipelineBuilder<BenchContext> builder = new("bench");
        foreach (IStep<BenchContext> step in steps)
        {
            builder.Step(step);
        }

        return builder.Terminator(new EndTerminator());
    }

    /// <summary>Creates what a message needs besides its context, once, as a server would pool it.</summary>
    public virtual object? Prepare(BenchContext context) => null;

    public abstract ValueTask InvokeAsync(BenchContext context, object? prepared);

    // Not inlined, so that a process that measures another variant's first message does not load these libraries.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static MiddlewareChain ComposeMiddleware(bool returning, int depth) =>
        new(returning ? ReturningMiddlewareTypes.Last(depth) : PlainMiddlewareTypes.Last(depth));

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static MassTransitChain ComposeMassTransit(bool returning, int depth) =>
        new(returning ? ReturningFilters.Last(depth) : PlainFilters.Last(depth));
}
