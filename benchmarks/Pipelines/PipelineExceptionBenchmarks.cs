namespace Benchmarks.Pipelines;

/// <summary>As RealHop, and the innermost part then throws: the seed's PipelineException.</summary>
public class PipelineExceptionBenchmarks : PipelineBenchmarks
{
    protected override Scenario Measured => Scenario.Throwing;
}
