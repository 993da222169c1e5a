using MassTransit;

namespace Benchmarks.Pipelines.Parts;

/// <summary><see cref="PlainPart{TTag}"/> as a MassTransit filter.</summary>
internal sealed class PlainFilter<TTag> : IFilter<BenchPipeContext>
    where TTag : struct, ITag
{
    public async Task Send(BenchPipeContext context, IPipe<BenchPipeContext> next)
    {
        context.Message.Enter(TTag.Value);
        await next.Send(context);
        context.Message.Leave(TTag.Value);
    }

    public void Probe(ProbeContext context)
    {
    }
}
