namespace Benchmarks.Pipelines;

/// <summary>Parts return what next returns: the seed's PipelineExecution.</summary>
public class PipelineExecutionReturningBenchmarks : PipelineBenchmarks
{
    protected override Scenario Measured => Scenario.Returning;
}
