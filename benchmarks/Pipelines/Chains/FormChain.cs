using Quayside.Pipeline.Building;
using Quayside.Pipeline.Execution;

namespace Benchmarks.Pipelines.Chains;

internal sealed class FormChain(PipelineBuilder<BenchContext> builder, PipelineForm form) : Chain
{
    private readonly IPipeline<BenchContext> _pipeline = builder.Build(form);

    public override ValueTask InvokeAsync(BenchContext context, object? prepared) => _pipeline.InvokeAsync(context);
}
