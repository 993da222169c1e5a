using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Pipeline.Behaviors;
using Pipeline.Building;
using Pipeline.Execution;
using Benchmarks.Pipelines.Parts;
using MassTransit;
using BenchBehavior = Pipeline.Behaviors.IBehavior<Benchmarks.Pipelines.BenchContext, Benchmarks.Pipelines.BenchContext>;

namespace Benchmarks.Pipelines.Chains;

/// <summary>One composed chain, ready for messages.</summary>
internal abstract class Chain
{
    /// <summary>Composes the variant from the last <paramref name="depth"/> parts of the table.</summary>
    public static Chain Compose(Variant variant, Scenario scenario, int depth)
    {
        bool returning = scenario == Scenario.Returning;
        return variant switch
        {
            Variant.HandWritten => new HandWrittenChain(returning, depth),
            Variant.Closure => new FormChain(Behaviors(returning ? PartTable.ReturningParts : PartTable.PlainParts, depth), PipelineForm.Closure),
            Variant.Expression => new FormChain(Behaviors(returning ? PartTable.ReturningParts : PartTable.PlainParts, depth), PipelineForm.Expression),
            Variant.PrecompiledPlain => new FormChain(Behaviors(returning ? PartTable.ReturningParts : PartTable.PlainParts, depth), PipelineForm.Precompiled),
            Variant.Precompiled => new FormChain(Behaviors(returning ? PartTable.ReturningParts : PartTable.FastPathParts, depth), PipelineForm.Precompiled),
            Variant.Fused => new FormChain(Steps(returning ? PartTable.ReturningSteps : PartTable.WrappingSteps, depth), PipelineForm.Fused),
            Variant.Middleware => new MiddlewareChain(returning ? PartTable.ReturningMiddleware : PartTable.PlainMiddleware, depth),
            Variant.MassTransit => new MassTransitChain(returning ? PartTable.ReturningFilters : PartTable.PlainFilters, depth),
            _ => throw new ArgumentOutOfRangeException(nameof(variant), variant, message: null),
        };
    }

    /// <summary>The parts of a chain, added and not yet composed.</summary>
    public static PipelineBuilder<BenchContext> Behaviors(BenchBehavior[] parts, int depth)
    {
        PipelineBuilder<BenchContext> builder = new("bench");
        foreach (BenchBehavior part in parts[^depth..])
        {
            builder.Behavior(part);
        }

        return builder.Terminator(new EndTerminator());
    }

    /// <summary>The steps of a chain, added and not yet composed.</summary>
    public static PipelineBuilder<BenchContext> Steps(IStep<BenchContext>[] steps, int depth)
    {
        PipelineBuilder<BenchContext> builder = new("bench");
        foreach (IStep<BenchContext> step in steps[^depth..])
        {
            builder.Step(step);
        }

        return builder.Terminator(new EndTerminator());
    }

    /// <summary>Whatever a message needs besides its context is made here, once, as a server would pool it.</summary>
    public virtual object? Prepare(BenchContext context) => null;

    public abstract ValueTask InvokeAsync(BenchContext context, object? prepared);

    private sealed class HandWrittenChain(bool returning, int depth) : Chain
    {
        public override ValueTask InvokeAsync(BenchContext context, object? prepared) =>
            returning ? HandWritten.ReturningAsync(context, depth) : HandWritten.AwaitingAsync(context, depth);
    }

    private sealed class FormChain(PipelineBuilder<BenchContext> builder, PipelineForm form) : Chain
    {
        private readonly IPipeline<BenchContext> _pipeline = builder.Build(form);

        public override ValueTask InvokeAsync(BenchContext context, object? prepared) => _pipeline.InvokeAsync(context);
    }

    private sealed class MiddlewareChain : Chain
    {
        private readonly RequestDelegate _pipeline;

        public MiddlewareChain(Type[] middleware, int depth)
        {
            ApplicationBuilder builder = new(new NoServices());
            foreach (Type type in middleware[^depth..])
            {
                builder.UseMiddleware(type);
            }

            builder.Run(static context =>
            {
                ValueTask end = ((BenchHttpContext)context).Message.EndAsync();
                return end.IsCompletedSuccessfully ? Task.CompletedTask : AwaitAsync(end);
            });
            _pipeline = builder.Build();
        }

        public override object Prepare(BenchContext context) => new BenchHttpContext(context);

        public override ValueTask InvokeAsync(BenchContext context, object? prepared) => new(_pipeline((HttpContext)prepared!));

        private static async Task AwaitAsync(ValueTask end) => await end;
    }

    private sealed class NoServices : IServiceProvider
    {
        public object? GetService(Type serviceType) => null;
    }

    private sealed class MassTransitChain : Chain
    {
        private readonly IPipe<BenchPipeContext> _pipe;

        public MassTransitChain(IFilter<BenchPipeContext>[] filters, int depth) => _pipe = Pipe.New<BenchPipeContext>(configurator =>
        {
            foreach (IFilter<BenchPipeContext> filter in filters[^depth..])
            {
                configurator.UseFilter(filter);
            }

            configurator.UseFilter(new EndFilter());
        });

        public override object Prepare(BenchContext context) => new BenchPipeContext(context);

        public override ValueTask InvokeAsync(BenchContext context, object? prepared) => new(_pipe.Send((BenchPipeContext)prepared!));
    }
}
