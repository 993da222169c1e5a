using Quayside.Pipeline.Behaviors;

namespace Benchmarks.Pipelines.Parts;

internal sealed class EndTerminator : ITerminator<BenchContext>
{
    public ValueTask InvokeAsync(BenchContext context) => context.EndAsync();
}
