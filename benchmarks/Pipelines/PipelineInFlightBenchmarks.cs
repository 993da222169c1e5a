using BenchmarkDotNet.Attributes;
using Benchmarks.Pipelines.Chains;
using Quayside.Pipeline.Frames;

namespace Benchmarks.Pipelines;

/// <summary>A real hop with a thousand messages in flight, far beyond a pool that keeps one frame per thread. Time and bytes per message.</summary>
public class PipelineInFlightBenchmarks
{
    private const int InFlight = 1_000;

    private ChainDriver _driver = null!;

    [Params(10, 40)]
    public int Depth { get; set; }

    [GlobalSetup(Target = nameof(HandWritten))]
    public void SetUpHandWritten() => SetUp(Variant.HandWritten);

    [Benchmark(Baseline = true, OperationsPerInvoke = InFlight)]
    public int HandWritten() => _driver.Run();

    [GlobalSetup(Target = nameof(Closure))]
    public void SetUpClosure() => SetUp(Variant.Closure);

    [Benchmark(OperationsPerInvoke = InFlight)]
    public int Closure() => _driver.Run();

    [GlobalSetup(Target = nameof(RuntimePooled))]
    public void SetUpRuntimePooled() => SetUp(Variant.RuntimePooled);

    [Benchmark(OperationsPerInvoke = InFlight)]
    public int RuntimePooled() => _driver.Run();

    [GlobalSetup(Target = nameof(Precompiled))]
    public void SetUpPrecompiled() => SetUp(Variant.Precompiled);

    [Benchmark(OperationsPerInvoke = InFlight)]
    public int Precompiled() => _driver.Run();

    [GlobalSetup(Target = nameof(Fused))]
    public void SetUpFused() => SetUp(Variant.Fused);

    [Benchmark(OperationsPerInvoke = InFlight)]
    public int Fused() => _driver.Run();

    private void SetUp(Variant variant)
    {
        VariantCheck.AllAgree(Scenario.RealHop, Depth);
        PooledFrames.Reserve(InFlight * (Depth + 1));
        _driver = new ChainDriver(variant, Scenario.RealHop, Depth, InFlight);
    }
}
