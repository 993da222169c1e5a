namespace Benchmarks.Pipelines;

/// <summary>As RealHop, but the innermost part throws when it resumes: a sink that fails.</summary>
public class PipelineExceptionBenchmarks : PipelineBenchmarks
{
    protected override Scenario Measured => Scenario.Throwing;
}
