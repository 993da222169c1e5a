using MassTransit.Middleware;

namespace Benchmarks.Pipelines.Parts;

/// <summary>Carries the message through MassTransit's filters.</summary>
internal sealed class BenchPipeContext(BenchContext message) : BasePipeContext
{
    public BenchContext Message { get; } = message;
}
