using MassTransit;

namespace Benchmarks.Pipelines.Parts;

/// <summary><see cref="ReturningPart{TTag}"/> as a MassTransit filter.</summary>
internal sealed class ReturningFilter<TTag> : IFilter<BenchPipeContext>
    where TTag : struct, ITag
{
    public Task Send(BenchPipeContext context, IPipe<BenchPipeContext> next)
    {
        context.Message.Enter(TTag.Value);
        return next.Send(context);
    }

    public void Probe(ProbeContext context)
    {
    }
}
