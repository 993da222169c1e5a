using Benchmarks.Pipelines;
using Benchmarks.Pipelines.Chains;

namespace Benchmarks.Bytes;

/// <summary>One chain whose allocations are counted.</summary>
internal sealed record ByteCase(Variant Variant, Scenario Scenario, int Depth, int InFlight)
{
    public string Name => $"{Scenario}/{Variant}/{Depth}/{InFlight}";

    /// <summary>The forms and the hand-written chain; what others allocate is not this repository's to gate.</summary>
    public static IEnumerable<ByteCase> All()
    {
        foreach (Scenario scenario in Enum.GetValues<Scenario>())
        {
            foreach (Variant variant in (Variant[])[Variant.HandWritten, Variant.Closure, Variant.Expression, Variant.PrecompiledPlain, Variant.Precompiled, Variant.Fused])
            {
                foreach (int depth in (int[])[10, 20, 40])
                {
                    yield return new ByteCase(variant, scenario, depth, 1);
                    if (scenario == Scenario.RealHop)
                    {
                        yield return new ByteCase(variant, scenario, depth, 64);
                        yield return new ByteCase(variant, scenario, depth, 1_000);
                    }
                }
            }
        }
    }
}
