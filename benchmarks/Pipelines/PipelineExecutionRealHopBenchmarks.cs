namespace Benchmarks.Pipelines;

/// <summary>As Awaiting, but the innermost part really suspends.</summary>
public class PipelineExecutionRealHopBenchmarks : PipelineBenchmarks
{
    protected override Scenario Measured => Scenario.RealHop;
}
