using BenchmarkDotNet.Attributes;
using Benchmarks.Pipelines.Chains;
using Benchmarks.Pipelines.Parts;
using Quayside.Pipeline.Building;
using Quayside.Pipeline.Execution;

namespace Benchmarks.Pipelines;

/// <summary>
/// Composing a chain whose parts were added before, in the steady state: the seed's PipelineWarmup. Stages are checked in the
/// same call. The command <c>cold</c> measures the first composition in a process.
/// </summary>
public class PipelineWarmupBenchmarks
{
    private PipelineBuilder<BenchContext> _behaviors = null!;
    private PipelineBuilder<BenchContext> _steps = null!;

    [Params(10, 20, 40)]
    public int Depth { get; set; }

    [GlobalSetup]
    public void SetUp()
    {
        _behaviors = Chain.Behaviors(FastPathParts.Last(Depth));
        _steps = Chain.Steps(WrappingSteps.Last(Depth));
    }

    [Benchmark(Baseline = true)]
    public object Closure() => _behaviors.Build(PipelineForm.Closure);

    [Benchmark]
    public object Expression() => _behaviors.Build(PipelineForm.Expression);

    [Benchmark]
    public object Precompiled() => _behaviors.Build(PipelineForm.Precompiled);

    [Benchmark]
    public object Fused() => _steps.Build(PipelineForm.Fused);

    [Benchmark]
    public object Middleware() => Chain.Compose(Variant.Middleware, Scenario.Awaiting, Depth);

    [Benchmark]
    public object MassTransit() => Chain.Compose(Variant.MassTransit, Scenario.Awaiting, Depth);
}
