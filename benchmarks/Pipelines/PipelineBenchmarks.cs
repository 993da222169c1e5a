using BenchmarkDotNet.Attributes;
using Benchmarks.Pipelines.Chains;
using Quayside.Pipeline.Frames;

namespace Benchmarks.Pipelines;

/// <summary>One message through a chain, one row per way to run it. All are checked to do the same work before any is measured.</summary>
public abstract class PipelineBenchmarks
{
    private ChainDriver _driver = null!;

    [Params(10, 20, 40)]
    public int Depth { get; set; }

    protected abstract Scenario Measured { get; }

    [GlobalSetup(Target = nameof(HandWritten))]
    public void SetUpHandWritten() => SetUp(Variant.HandWritten);

    [Benchmark(Baseline = true)]
    public int HandWritten() => _driver.Run();

    [GlobalSetup(Target = nameof(Closure))]
    public void SetUpClosure() => SetUp(Variant.Closure);

    [Benchmark]
    public int Closure() => _driver.Run();

    [GlobalSetup(Target = nameof(Expression))]
    public void SetUpExpression() => SetUp(Variant.Expression);

    [Benchmark]
    public int Expression() => _driver.Run();

    [GlobalSetup(Target = nameof(PrecompiledPlain))]
    public void SetUpPrecompiledPlain() => SetUp(Variant.PrecompiledPlain);

    [Benchmark]
    public int PrecompiledPlain() => _driver.Run();

    [GlobalSetup(Target = nameof(Precompiled))]
    public void SetUpPrecompiled() => SetUp(Variant.Precompiled);

    [Benchmark]
    public int Precompiled() => _driver.Run();

    [GlobalSetup(Target = nameof(Fused))]
    public void SetUpFused() => SetUp(Variant.Fused);

    [Benchmark]
    public int Fused() => _driver.Run();

    [GlobalSetup(Target = nameof(Middleware))]
    public void SetUpMiddleware() => SetUp(Variant.Middleware);

    [Benchmark]
    public int Middleware() => _driver.Run();

    [GlobalSetup(Target = nameof(MassTransit))]
    public void SetUpMassTransit() => SetUp(Variant.MassTransit);

    [Benchmark]
    public int MassTransit() => _driver.Run();

    private void SetUp(Variant variant)
    {
        VariantCheck.AllAgree(Measured, Depth);
        PooledFrames.Reserve(Depth + 1);
        _driver = new ChainDriver(variant, Measured, Depth, inFlight: 1);
    }
}
