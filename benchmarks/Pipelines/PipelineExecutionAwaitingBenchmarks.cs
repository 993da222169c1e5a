namespace Benchmarks.Pipelines;

/// <summary>Parts act before and after next; nothing suspends.</summary>
public class PipelineExecutionAwaitingBenchmarks : PipelineBenchmarks
{
    protected override Scenario Measured => Scenario.Awaiting;
}
