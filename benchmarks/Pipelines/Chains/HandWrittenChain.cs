namespace Benchmarks.Pipelines.Chains;

internal sealed class HandWrittenChain(bool returning, int depth) : Chain
{
    public override ValueTask InvokeAsync(BenchContext context, object? prepared) =>
        returning ? HandWritten.ReturningAsync(context, depth) : HandWritten.AwaitingAsync(context, depth);
}
