using Benchmarks.Pipelines;
using Benchmarks.Pipelines.Chains;

namespace Benchmarks.Tests.Pipelines;

/// <summary>Every variant of a case computes the same sum; otherwise the figures would not be comparable.</summary>
public sealed class VariantCheckTests
{
    public static TheoryData<Scenario, int> Cases
    {
        get
        {
            TheoryData<Scenario, int> data = [];
            foreach (Scenario scenario in Enum.GetValues<Scenario>())
            {
                data.Add(scenario, 10);
                data.Add(scenario, 20);
                data.Add(scenario, 40);
            }

            return data;
        }
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public void AllAgree_EveryCase_DoesNotThrow(Scenario scenario, int depth) => VariantCheck.AllAgree(scenario, depth);

    [Fact]
    public void Run_AnotherDepth_GivesAnotherSum()
    {
        int ten = new ChainDriver(Variant.HandWritten, Scenario.Awaiting, 10, inFlight: 1).Run();
        int twenty = new ChainDriver(Variant.HandWritten, Scenario.Awaiting, 20, inFlight: 1).Run();

        ten.ShouldNotBe(twenty, "the sum must show which parts ran");
    }

    [Fact]
    public void Run_ManyInFlight_EveryMessageGivesTheSameSum()
    {
        int one = new ChainDriver(Variant.Fused, Scenario.RealHop, 20, inFlight: 1).Run();
        ChainDriver many = new(Variant.Fused, Scenario.RealHop, 20, inFlight: 100);

        many.Run().ShouldBe(one);
        many.Run().ShouldBe(one);
    }
}
