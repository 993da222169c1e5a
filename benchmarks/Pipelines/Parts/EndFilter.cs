using MassTransit;

namespace Benchmarks.Pipelines.Parts;

/// <summary>The innermost filter.</summary>
internal sealed class EndFilter : IFilter<BenchPipeContext>
{
    public Task Send(BenchPipeContext context, IPipe<BenchPipeContext> next)
    {
        ValueTask end = context.Message.EndAsync();
        return end.IsCompletedSuccessfully ? Task.CompletedTask : AwaitAsync(end);
    }

    public void Probe(ProbeContext context)
    {
    }

    private static async Task AwaitAsync(ValueTask end) => await end;
}
