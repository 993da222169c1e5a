using Pipeline.Contexts;

namespace Pipeline.Tests.Allocations;

internal sealed class MeasuredContext : PipelineContext
{
    public int Count { get; set; }
}
