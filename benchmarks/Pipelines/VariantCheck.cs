using Benchmarks.Pipelines.Chains;

namespace Benchmarks.Pipelines;

/// <summary>Checks that all variants of a case do the same work: figures of different work are worthless.</summary>
internal static class VariantCheck
{
    public static void AllAgree(Scenario scenario, int depth)
    {
        int expected = new ChainDriver(Variant.HandWritten, scenario, depth, inFlight: 1).Run();
        foreach (Variant variant in Enum.GetValues<Variant>())
        {
            int actual = new ChainDriver(variant, scenario, depth, inFlight: 1).Run();
            if (actual != expected)
            {
                throw new InvalidOperationException($"{variant} came to {actual}, {Variant.HandWritten} to {expected} ({scenario}, depth {depth}).");
            }
        }
    }
}
