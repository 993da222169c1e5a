using Benchmarks.Pipelines;
using Benchmarks.Pipelines.Chains;
using Quayside.Pipeline.Frames;

namespace Benchmarks.Bytes;

/// <summary>One chain whose allocations are counted.</summary>
internal sealed record PipelineByteCase(Variant Variant, Scenario Scenario, int Depth, int InFlight) : ByteCase
{
    public override string Name => $"{Scenario}/{Variant}/{Depth}/{InFlight}";

    public override int MessagesARound => Scenario == Scenario.Throwing ? base.MessagesARound / 10 : base.MessagesARound;

    public override int MessagesARun => InFlight;

    /// <summary>The forms and the hand-written chain. The allocations of other libraries are not gated here.</summary>
    public static new IEnumerable<PipelineByteCase> All()
    {
        foreach (Scenario scenario in Enum.GetValues<Scenario>().Where(scenario => scenario != Scenario.ThrowingSynchronously))
        {
            foreach (Variant variant in (Variant[])[
                Variant.HandWritten, Variant.Closure, Variant.Expression, Variant.PrecompiledPlain, Variant.Precompiled, Variant.Fused])
            {
                foreach (int depth in (int[])[10, 20, 40])
                {
                    yield return new PipelineByteCase(variant, scenario, depth, 1);
                    if (scenario == Scenario.RealHop)
                    {
                        yield return new PipelineByteCase(variant, scenario, depth, 64);
                        yield return new PipelineByteCase(variant, scenario, depth, 1_000);
                    }
                }
            }
        }
    }

    public override Action Prepare()
    {
        PooledFrames.Reserve(InFlight * (Depth + 1));
        ChainDriver driver = new(Variant, Scenario, Depth, InFlight);
        return () => driver.Run();
    }
}
