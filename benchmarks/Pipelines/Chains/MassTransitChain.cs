using Benchmarks.Pipelines.Parts;
using MassTransit;

namespace Benchmarks.Pipelines.Chains;

internal sealed class MassTransitChain : Chain
{
    private readonly IPipe<BenchPipeContext> _pipe;

    public MassTransitChain(IFilter<BenchPipeContext>[] filters) => _pipe = Pipe.New<BenchPipeContext>(configurator =>
    {
        foreach (IFilter<BenchPipeContext> filter in filters)
        {
            configurator.UseFilter(filter);
        }

        configurator.UseFilter(new EndFilter());
    });

    public override object Prepare(BenchContext context) => new BenchPipeContext(context);

    public override ValueTask InvokeAsync(BenchContext context, object? prepared) => new(_pipe.Send((BenchPipeContext)prepared!));
}
