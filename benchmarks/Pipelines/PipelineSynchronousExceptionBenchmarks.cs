namespace Benchmarks.Pipelines;

/// <summary>As Returning, but the innermost part throws before anything suspends: the seed's PipelineException.</summary>
public class PipelineSynchronousExceptionBenchmarks : PipelineBenchmarks
{
    protected override Scenario Measured => Scenario.ThrowingSynchronously;
}
